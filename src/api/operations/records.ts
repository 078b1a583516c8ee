import * as z from 'zod/mini';
import { draft, flag, number, numberOrText, open, text, time } from './fields.js';
import { array, made, object, unshown } from './kinds.js';

/** Records that several operations return. */

export const named = /* @__PURE__ */ made(() => object({ id: number, name: text }));

export const brandRef = /* @__PURE__ */ made(() => object({ id: number, name: text, slug: text }));

const assetFields = /* @__PURE__ */ made(() => ({
  id: number,
  type: open('assetType'),
  content: text,
  status: open('assetStatus'),
}));

/** An asset inside other records. */
export const assetRef = /* @__PURE__ */ made(() => object(assetFields));

const scan = /* @__PURE__ */ made(() =>
  object({
    id: number,
    status: open('scanStatus'),
    output: z.optional(unshown),
    createdAt: time,
    enrichments: array(object({ id: number, type: text, output: z.optional(unshown), status: text })),
  }),
);

/** Older documentation has a report's id as a string. */
const reportId = numberOrText;

export const report = /* @__PURE__ */ made(() =>
  object({
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
    attachments: array(object({ id: number, url: text })),
    // Older documentation lists assets here instead of in the proposals; the type of an entry is not published.
    assets: z.optional(array(unshown)),
    proposals: array(
      object({
        id: number,
        reviewStatus: open('proposalStatus'),
        asset: object({ ...assetFields, scans: array(scan) }),
      }),
    ),
    reporter: z.nullable(object({ id: number, role: open('reporterRole'), fullName: text, avatarUrl: z.nullable(text) })),
    externalReporter: z.nullable(
      object({ id: number, displayName: z.nullable(text), avatarUrl: z.nullable(text), platform: text }),
    ),
    source: z.nullable(open('reportSource')),
    sourceMetadata: z.optional(unshown),
  }),
);

/** `nextCursor` in the service's document, `cursor` in older documentation; the client reads either. */
export const reportPage = /* @__PURE__ */ made(() =>
  object({
    reports: array(report),
    nextCursor: z.optional(z.nullable(numberOrText)),
    cursor: z.optional(z.nullable(numberOrText)),
    totalCount: number,
  }),
);

/** Which fields may be `null` is provisional. */
export const takedownTask = /* @__PURE__ */ made(() =>
  object({
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
    takedownProvider: z.optional(object({ name: text })),
  }),
);

/** `null` if `include` leaves it out. */
const figure = /* @__PURE__ */ made(() => z.nullable(number));

export const organizationMetrics = /* @__PURE__ */ made(() =>
  object({
    metrics: object({
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
    blockedByType: z.nullable(array(object({ type: text, count: number }))),
    blockedByDay: z.nullable(array(object({ date: text, count: number }))),
  }),
);

const legalDocument = /* @__PURE__ */ made(() =>
  object({ present: flag, fileName: z.nullable(text), fileUrl: z.nullable(text) }),
);
/** The documents that prove the right to act for an organization or a brand. */
export const legalDocuments = /* @__PURE__ */ made(() =>
  object({ letterOfAuthorization: legalDocument, powerOfAttorney: legalDocument }),
);
const service = /* @__PURE__ */ made(() => object({ active: flag }));

/** The portal fields are from a draft; the groups of the others are in published documentation. */
export const userOrganization = /* @__PURE__ */ made(() =>
  object({
    id: number,
    name: text,
    slug: text,
    avatarUrl: z.nullable(text),
    subscriptionStatus: open('subscriptionStatus'),
    portalVisibility: draft(open('visibility')),
    reportVisibility: draft(open('reportVisibility')),
    metricsVisibility: draft(open('visibility')),
    brandMetadata: object({
      websiteUrl: z.nullable(text),
      twitterHandle: z.nullable(text),
      securityContactEmail: z.nullable(text),
      industry: z.nullable(text),
    }),
    portalCustomization: draft(
      object({
        useCustomDetails: flag,
        name: z.nullable(text),
        slug: z.nullable(text),
        avatarUrl: z.nullable(text),
        bannerEnabled: flag,
        bannerContent: z.nullable(text),
      }),
    ),
    services: object({
      reporting: service,
      reviewing: service,
      protection: service,
      takedowns: object({ active: flag, automated: flag }),
      detection: service,
      darkWebMonitoring: service,
    }),
    obligatoryAdminApproval: flag,
    integrations: object({
      slack: flag,
      discord: flag,
      telegram: object({ connected: flag, groupCount: number }),
      vercel: flag,
      intercom: flag,
      moderation: flag,
    }),
    legalDocuments,
    trademarkRegistrations: array(unshown),
  }),
);
