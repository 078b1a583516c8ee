import { draft, flag, number, numberOrText, open, text, time } from './fields.js';
import { array, made, madeObject, object, objectOrNull, objects, unshown } from './kinds.js';
import * as z from './zod.js';

/**
 * Records that several operations return. The compiler copies the type of a schema into the declarations of each file that uses it, and
 * loses the comments of its fields on the way; it only names an interface. So each of these schemas has one, by which other files use it.
 */

type Same<Type> = Type;

export const named = /* @__PURE__ */ madeObject(() => ({
  id: number,
  name: text,
}));
export interface NamedSchema extends Same<typeof named> {}

export const brandRef = /* @__PURE__ */ madeObject(() => ({
  id: number,
  name: text,
  /** The slug of the brand. */ slug: text,
}));
export interface BrandRefSchema extends Same<typeof brandRef> {}

const assetFields = /* @__PURE__ */ made(() => ({
  id: number,

  /** The type of asset. */ type: open('assetType'),

  /** The asset as text, such as a link or an address. */ content: text,

  /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus'),
}));

/** An asset inside other records. */
export const assetRef = /* @__PURE__ */ madeObject(() => assetFields);
export interface AssetRefSchema extends Same<typeof assetRef> {}

const scan = /* @__PURE__ */ madeObject(() => ({
  id: number,
  /** How far the scan is. */ status: open('scanStatus'),
  /** The result. Its shape is not published. */ output: z.optional(unshown),
  createdAt: time,
  /** Data that was gathered about the asset. */ enrichments: objects({
    id: number,
    /** The kind of data. */ type: text,
    /** The data. Its shape is not published. */ output: z.optional(unshown),
    /** How far the gathering of this data is. */ status: text,
  }),
}));

/** Older documentation has a report's id as a string. */
const reportId = numberOrText;

export const report = /* @__PURE__ */ madeObject(() => ({
  id: reportId,
  /** The title. */ title: text,
  /** The description. */ description: text,
  /** Whether images are shown, blurred or hidden. */ imageDisplay: open('imageDisplay'),
  /** When it became a favorite, in ISO 8601; `null` if it is not one. */ favoritedAt: z.nullable(time),
  /** How far the review is; `null` until the first review. */ status: z.nullable(open('reportStatus')),
  /** Whether the organization itself reported it. */ reportedByCustomer: flag,
  /** When the promised response time ends, in ISO 8601. */ slaDueAt: z.nullable(time),
  /** The address of the submission elsewhere. */ externalSubmissionLink: z.nullable(text),
  /** The report that this one duplicates, by its id. */ duplicateOfId: z.nullable(reportId),
  /** The threat actor; `null` if unknown. */ threatActor: z.nullable(named),
  createdAt: time,
  updatedAt: time,
  /** The attached files. */ attachments: objects({
    id: number,
    /** The address. */ url: text,
  }),
  // Older documentation lists assets here instead of in the proposals; the type of an entry is not published.
  /** The assets, in older documentation. The fields of an entry are not published. */ assets: z.optional(array(unshown)),
  /** One proposal for each asset. */ proposals: objects({
    id: number,
    /** What was decided about the proposal. */ reviewStatus: open('proposalStatus'),
    asset: object({
      ...assetFields,
      /** The scans of the asset. */ scans: array(scan),
    }),
  }),
  /** Who reported it. */ reporter: objectOrNull({
    id: number,
    role: open('reporterRole'),
    fullName: text,
    /** The address of its picture. */ avatarUrl: z.nullable(text),
  }),
  /** Who reported it on another platform. */ externalReporter: objectOrNull({
    id: number,
    /** The name on that platform. */ displayName: z.nullable(text),
    /** The address of its picture. */ avatarUrl: z.nullable(text),
    /** The platform. */ platform: text,
  }),
  /** Where it comes from. */ source: z.nullable(open('reportSource')),
  /** What the source adds. Its shape is not published. */ sourceMetadata: z.optional(unshown),
}));

/** `nextCursor` in the service's document, `cursor` in older documentation; the client reads either. */
export const reportPage = /* @__PURE__ */ madeObject(() => ({
  reports: array(report),
  /** Where the next page starts; `null` or absent on the last one. */ nextCursor: z.optional(z.nullable(numberOrText)),
  /** `nextCursor`, in older documentation. */ cursor: z.optional(z.nullable(numberOrText)),
  /** How many there are on all pages. */ totalCount: number,
}));
export interface ReportPageSchema extends Same<typeof reportPage> {}

/** Which fields may be `null` is provisional. */
export const takedownTask = /* @__PURE__ */ madeObject(() => ({
  id: number,
  /** The type of task. */ type: open('takedownTaskType'),
  /** How far the task is. */ status: open('takedownTaskStatus'),
  /** Whether the takedown was retracted. */ retractionStatus: open('retractionStatus'),
  /** The id of the task at the provider. */ externalId: z.optional(z.nullable(text)),
  /** When it was submitted, in ISO 8601. */ submittedAt: z.optional(z.nullable(time)),
  /** When it was retracted, in ISO 8601. */ retractedAt: z.optional(z.nullable(time)),
  /** When the provider last responded, in ISO 8601. */ lastResponseAt: z.optional(z.nullable(time)),
  createdAt: time,
  updatedAt: time,
  /** Who is asked to take it down. */ takedownProvider: z.optional(
    object({
      /** The name of the provider. */ name: text,
    }),
  ),
}));
export interface TakedownTaskSchema extends Same<typeof takedownTask> {}

/** A file that was sent with a takedown. */
export const takedownEvidence = /* @__PURE__ */ madeObject(() => ({
  /** The name under which the file was uploaded. */ fileName: text,
  /** Where the file is. */ url: text,
}));
export interface TakedownEvidenceSchema extends Same<typeof takedownEvidence> {}

/** `null` if `include` leaves it out. */
const figure = /* @__PURE__ */ made(() => z.nullable(number));

export const organizationMetrics = /* @__PURE__ */ madeObject(() => ({
  /** The totals. */ metrics: object({
    /** Reports. */ reports: figure,
    /** New threats. */ newThreats: figure,
    /** Threats on the watchlist. */ threatsWatchlisted: figure,
    /** Takedowns that were filed. */ takedownsFiled: figure,
    /** Takedowns that were completed. */ takedownsCompleted: figure,
    /** Threats on domains. */ domainThreats: figure,
    /** Threats on Twitter. */ twitterThreats: figure,
    /** Threats on Telegram. */ telegramThreats: figure,
    /** All other threats. */ otherThreats: figure,
  }),
  /** What was blocked, by asset type; `null` if `include` leaves it out. */ blockedByType: z.nullable(
    objects({
      /** The asset type. */ type: text,
      /** How many were blocked. */ count: number,
    }),
  ),
  /** What was blocked, by day; `null` if `include` leaves it out. */ blockedByDay: z.nullable(
    objects({
      /** The day, as `YYYY-MM-DD`. */ date: text,
      /** How many were blocked. */ count: number,
    }),
  ),
}));
export interface OrganizationMetricsSchema extends Same<typeof organizationMetrics> {}

const legalDocument = /* @__PURE__ */ madeObject(() => ({
  /** Whether the document was uploaded. */ present: flag,
  /** The name of the file. */ fileName: z.nullable(text),
  /** The address of the file. */ fileUrl: z.nullable(text),
}));
/** The documents that prove the right to act for an organization or a brand. */
export const legalDocuments = /* @__PURE__ */ madeObject(() => ({
  /** The letter of authorization. */ letterOfAuthorization: legalDocument,
  /** The power of attorney. */ powerOfAttorney: legalDocument,
}));
export interface LegalDocumentsSchema extends Same<typeof legalDocuments> {}
const service = /* @__PURE__ */ madeObject(() => ({
  active: flag,
}));

/** The portal fields are from a draft; the groups of the others are in published documentation. */
export const userOrganization = /* @__PURE__ */ madeObject(() => ({
  id: number,
  name: text,
  /** Its slug, which names it in other calls. */ slug: text,
  /** The address of its picture. */ avatarUrl: z.nullable(text),
  /** The state of the subscription. */ subscriptionStatus: open('subscriptionStatus'),
  /** Who can see the portal. */ portalVisibility: draft(open('visibility')),
  /** Who can see the reports. */ reportVisibility: draft(open('reportVisibility')),
  /** Who can see the metrics. */ metricsVisibility: draft(open('visibility')),
  /** Facts about the brand. */ brandMetadata: object({
    /** Its website. */ websiteUrl: z.nullable(text),
    /** Its handle on Twitter. */ twitterHandle: z.nullable(text),
    /** The email address for security questions. */ securityContactEmail: z.nullable(text),
    /** The industry. */ industry: z.nullable(text),
  }),
  /** How the portal looks. */ portalCustomization: draft(
    object({
      /** Whether the portal has its own details. */ useCustomDetails: flag,
      /** The name that the portal shows. */ name: z.nullable(text),
      /** The slug of the portal. */ slug: z.nullable(text),
      /** The address of the picture that the portal shows. */ avatarUrl: z.nullable(text),
      /** Whether the banner is shown. */ bannerEnabled: flag,
      /** The text of the banner. */ bannerContent: z.nullable(text),
    }),
  ),
  /** Which services are active. */ services: object({
    /** The service of reports. */ reporting: service,
    /** The service of reviews. */ reviewing: service,
    /** The service of protection. */ protection: service,
    /** The service of takedowns. */ takedowns: object({
      active: flag,
      /** Whether takedowns are filed automatically. */ automated: flag,
    }),
    /** The service of detection. */ detection: service,
    /** The service that watches the dark web. */ darkWebMonitoring: service,
  }),
  /** Whether an administrator of the organization must confirm a block. */ obligatoryAdminApproval: flag,
  /** Which integrations are connected. */ integrations: object({
    /** Whether Slack is connected. */ slack: flag,
    /** Whether Discord is connected. */ discord: flag,
    /** Whether Telegram is connected. */ telegram: object({
      /** Whether it is connected. */ connected: flag,
      /** How many groups are connected. */ groupCount: number,
    }),
    /** Whether Vercel is connected. */ vercel: flag,
    /** Whether Intercom is connected. */ intercom: flag,
    /** Whether moderation is connected. */ moderation: flag,
  }),
  /** The documents that prove the right to act. */ legalDocuments,
  /** Its trademarks. The fields of an entry are not published. */ trademarkRegistrations: array(unshown),
}));
export interface UserOrganizationSchema extends Same<typeof userOrganization> {}
export interface UserOrganization extends z.output<typeof userOrganization> {}
