import { Problem } from '../http/problem.js';
import { type Handlers, organizationOf } from './handler-context.js';
import { metricsOf } from './metrics-handlers.js';
import { reportHandlers } from './report-handlers.js';

/** The largest page of the list that took its place. */
const reportsMax = 20;

export const deprecatedHandlers: Handlers<'getOrganizationReports' | 'getOrganizationMetrics'> = {
  getOrganizationReports(call, input) {
    const { limit = reportsMax } = input;
    if (!Number.isInteger(limit) || limit < 1 || limit > reportsMax)
      throw new Problem(400, `limit must be a whole number from 1 to ${reportsMax}.`);
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
};
