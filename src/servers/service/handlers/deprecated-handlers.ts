import { Problem } from '../http/problem.js';
import { metricsOf } from './figure-handlers.js';
import { type Handlers, organizationOf } from './handler-context.js';
import { reportHandlers } from './report-handlers.js';

/** The largest page of the list that replaces it. */
const maxReports = 20;

export const deprecatedHandlers = {
  getOrganizationReports(call, input) {
    const { limit = maxReports } = input;
    if (!Number.isInteger(limit) || limit < 1 || limit > maxReports)
      throw new Problem(400, `limit must be an integer from 1 to ${maxReports}.`);
    const { slug, cursor, startDate, endDate, onlyRejected, reporterKind, reviewerKind, needsCustomerReview, excludeAutomation } =
      input;
    return reportHandlers.organizationReportsList(call, {
      slug,
      limit,
      cursor,
      startDate,
      endDate,
      onlyRejected,
      reporterKind,
      reviewerKind,
      needsCustomerReview,
      excludeAutomation,
    });
  },

  getOrganizationMetrics(call, { brandSlug, startDate, endDate }) {
    return metricsOf(call, [organizationOf(call)], { brandSlug, startDate, endDate });
  },
} satisfies Partial<Handlers>;
