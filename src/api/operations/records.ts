import * as z from 'zod/mini';
import { draft, flag, number, numberOrText, open, text, time } from './fields.js';
import { made, unshown } from './kinds.js';

/** Records that several operations return. */

export const named = /* @__PURE__ */ made(() => z.object({ id: number, name: text }));

export const brandRef = /* @__PURE__ */ made(() => z.object({ id: number, name: text, slug: text }));

const assetFields = /* @__PURE__ */ made(() => ({
  id: number,
  type: open('assetType'),
  content: text,
  status: open('assetStatus'),
}));

/** An asset inside other records. */
export const assetRef = /* @__PURE__ */ made(() => z.object(assetFields));

const scan = /* @__PURE__ */ made(() =>
  z.object({
    id: number,
    status: open('scanStatus'),
    output: z.optional(unshown),
    createdAt: time,
    enrichments: z.array(z.object({ id: number, type: text, output: z.optional(unshown), status: text })),
  }),
);

/** Older documentation has a report's id as a string. */
const reportId = numberOrText;

export const report = /* @__PURE__ */ made(() =>
  z.object({
    id: reportId,
    title: text,
    description: text,
    imageDisplay: open('imageDisplay'),
    favoritedAt: z.nullable(time),
    status: z.nullable(open('reportStatus')),
    reportedByCustomer: flag,
    slaDueAt: z.nullable(time),
    externalSubmissionLink: z.nullable(text),
    duplicateOfId: z.nullable(reportId),
    threatActor: z.nullable(named),
    createdAt: time,
    updatedAt: time,
    attachments: z.array(z.object({ id: number, url: text })),
    proposals: z.array(
      z.object({
        id: number,
        reviewStatus: open('proposalStatus'),
        asset: z.object({ ...assetFields, scans: z.array(scan) }),
      }),
    ),
    reporter: z.nullable(z.object({ id: number, role: open('reporterRole'), fullName: text, avatarUrl: z.nullable(text) })),
    externalReporter: z.nullable(
      z.object({ id: number, displayName: z.nullable(text), avatarUrl: z.nullable(text), platform: text }),
    ),
    source: z.nullable(open('reportSource')),
    sourceMetadata: z.optional(unshown),
  }),
);

/** `nextCursor` in the service's document, `cursor` in older documentation; the client reads either. */
export const reportPage = /* @__PURE__ */ made(() =>
  z.object({
    reports: z.array(report),
    nextCursor: z.optional(z.nullable(numberOrText)),
    cursor: z.optional(z.nullable(numberOrText)),
    totalCount: number,
  }),
);

/** Which fields may be `null` is provisional. */
export const takedownTask = /* @__PURE__ */ made(() =>
  z.object({
    id: number,
    type: open('takedownTaskType'),
    status: open('takedownTaskStatus'),
    retractionStatus: open('retractionStatus'),
    externalId: z.optional(z.nullable(text)),
    submittedAt: z.optional(z.nullable(time)),
    retractedAt: z.optional(z.nullable(time)),
    lastResponseAt: z.optional(z.nullable(time)),
    createdAt: time,
    updatedAt: time,
    takedownProvider: z.optional(z.object({ name: text })),
  }),
);

/** `null` if `include` leaves it out. */
const figure = /* @__PURE__ */ made(() => z.nullable(number));

export const organizationMetrics = /* @__PURE__ */ made(() =>
  z.object({
    metrics: z.object({
      reports: figure,
      newThreats: figure,
      threatsWatchlisted: figure,
      takedownsFiled: figure,
      takedownsCompleted: figure,
      domainThreats: figure,
      twitterThreats: figure,
      telegramThreats: figure,
      otherThreats: figure,
    }),
    blockedByType: z.nullable(z.array(z.object({ type: text, count: number }))),
    blockedByDay: z.nullable(z.array(z.object({ date: text, count: number }))),
  }),
);

const legalDocument = /* @__PURE__ */ made(() =>
  z.object({ present: flag, fileName: z.nullable(text), fileUrl: z.nullable(text) }),
);
const service = /* @__PURE__ */ made(() => z.object({ active: flag }));

/** The portal fields are from a draft; the groups of the others are in published documentation. */
export const userOrganization = /* @__PURE__ */ made(() =>
  z.object({
    id: number,
    name: text,
    slug: text,
    avatarUrl: z.nullable(text),
    subscriptionStatus: open('subscriptionStatus'),
    portalVisibility: draft(open('visibility')),
    reportVisibility: draft(open('reportVisibility')),
    metricsVisibility: draft(open('visibility')),
    brandMetadata: z.object({
      websiteUrl: z.nullable(text),
      twitterHandle: z.nullable(text),
      securityContactEmail: z.nullable(text),
      industry: z.nullable(text),
    }),
    portalCustomization: draft(
      z.object({
        useCustomDetails: flag,
        name: z.nullable(text),
        slug: z.nullable(text),
        avatarUrl: z.nullable(text),
        bannerEnabled: flag,
        bannerContent: z.nullable(text),
      }),
    ),
    services: z.object({
      reporting: service,
      reviewing: service,
      protection: service,
      takedowns: z.object({ active: flag, automated: flag }),
      detection: service,
      darkWebMonitoring: service,
    }),
    obligatoryAdminApproval: flag,
    integrations: z.object({
      slack: flag,
      discord: flag,
      telegram: z.object({ connected: flag, groupCount: number }),
      vercel: flag,
      intercom: flag,
      moderation: flag,
    }),
    legalDocuments: z.object({ letterOfAuthorization: legalDocument, powerOfAttorney: legalDocument }),
    trademarkRegistrations: z.array(unshown),
  }),
);
