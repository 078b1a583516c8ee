/** Made by `npm run docs:operations` from the comments of fields, so that each is written once and no client carries it. */

/** Descriptions by the names of fields, from the outermost to the field itself. */
export type Texts = Readonly<Record<string, string>>;

export const fieldDescriptions: Readonly<Record<string, { readonly input: Texts; readonly output: Texts }>> = {
 "account.userMe": {
  "input": {},
  "output": {
   "organizations": "The organizations that the key can act for.",
   "organizations.id": "The id.",
   "organizations.name": "The name.",
   "organizations.slug": "Its slug, which names it in other calls.",
   "user": "The user who owns the key; `null` for the key of an organization.",
   "user.email": "The email address.",
   "user.fullName": "The full name.",
   "user.id": "The id.",
   "user.role": "The role."
  }
 },
 "account.userMeUpdate": {
  "input": {},
  "output": {
   "user": "The user after the change.",
   "user.email": "The email address.",
   "user.fullName": "The full name.",
   "user.id": "The id.",
   "user.role": "The role."
  }
 },
 "account.userOrgs": {
  "input": {
   "obligatoryAdminApproval": "Only organizations with, or without, this setting.",
   "query": "Only what contains this text.",
   "services": "Only organizations with these services. Its form is not published.",
   "subscriptionStatus": "Only organizations with this state. Its form is not published."
  },
  "output": {
   "organizations": "The organizations.",
   "organizations.avatarUrl": "The address of its picture.",
   "organizations.brandMetadata": "Facts about the brand.",
   "organizations.brandMetadata.industry": "The industry.",
   "organizations.brandMetadata.securityContactEmail": "The email address for security questions.",
   "organizations.brandMetadata.twitterHandle": "Its handle on Twitter.",
   "organizations.brandMetadata.websiteUrl": "Its website.",
   "organizations.id": "The id.",
   "organizations.integrations": "Which integrations are connected.",
   "organizations.integrations.discord": "Whether Discord is connected.",
   "organizations.integrations.intercom": "Whether Intercom is connected.",
   "organizations.integrations.moderation": "Whether moderation is connected.",
   "organizations.integrations.slack": "Whether Slack is connected.",
   "organizations.integrations.telegram": "Whether Telegram is connected.",
   "organizations.integrations.telegram.connected": "Whether it is connected.",
   "organizations.integrations.telegram.groupCount": "How many groups are connected.",
   "organizations.integrations.vercel": "Whether Vercel is connected.",
   "organizations.legalDocuments": "The documents that prove the right to act.",
   "organizations.legalDocuments.letterOfAuthorization": "The letter of authorization.",
   "organizations.legalDocuments.letterOfAuthorization.fileName": "The name of the file.",
   "organizations.legalDocuments.letterOfAuthorization.fileUrl": "The address of the file.",
   "organizations.legalDocuments.letterOfAuthorization.present": "Whether the document was uploaded.",
   "organizations.legalDocuments.powerOfAttorney": "The power of attorney.",
   "organizations.legalDocuments.powerOfAttorney.fileName": "The name of the file.",
   "organizations.legalDocuments.powerOfAttorney.fileUrl": "The address of the file.",
   "organizations.legalDocuments.powerOfAttorney.present": "Whether the document was uploaded.",
   "organizations.metricsVisibility": "Who can see the metrics.",
   "organizations.name": "The name.",
   "organizations.obligatoryAdminApproval": "Whether an administrator of the organization must confirm a block.",
   "organizations.portalCustomization": "How the portal looks.",
   "organizations.portalCustomization.avatarUrl": "The address of the picture that the portal shows.",
   "organizations.portalCustomization.bannerContent": "The text of the banner.",
   "organizations.portalCustomization.bannerEnabled": "Whether the banner is shown.",
   "organizations.portalCustomization.name": "The name that the portal shows.",
   "organizations.portalCustomization.slug": "The slug of the portal.",
   "organizations.portalCustomization.useCustomDetails": "Whether the portal has its own details.",
   "organizations.portalVisibility": "Who can see the portal.",
   "organizations.reportVisibility": "Who can see the reports.",
   "organizations.services": "Which services are active.",
   "organizations.services.darkWebMonitoring": "The service that watches the dark web.",
   "organizations.services.darkWebMonitoring.active": "Whether it is active.",
   "organizations.services.detection": "The service of detection.",
   "organizations.services.detection.active": "Whether it is active.",
   "organizations.services.protection": "The service of protection.",
   "organizations.services.protection.active": "Whether it is active.",
   "organizations.services.reporting": "The service of reports.",
   "organizations.services.reporting.active": "Whether it is active.",
   "organizations.services.reviewing": "The service of reviews.",
   "organizations.services.reviewing.active": "Whether it is active.",
   "organizations.services.takedowns": "The service of takedowns.",
   "organizations.services.takedowns.active": "Whether it is active.",
   "organizations.services.takedowns.automated": "Whether takedowns are filed automatically.",
   "organizations.slug": "Its slug, which names it in other calls.",
   "organizations.subscriptionStatus": "The state of the subscription.",
   "organizations.trademarkRegistrations": "Its trademarks. The fields of an entry are not published."
  }
 },
 "account.userOrgsGet": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "avatarUrl": "The address of its picture.",
   "brandMetadata": "Facts about the brand.",
   "brandMetadata.industry": "The industry.",
   "brandMetadata.securityContactEmail": "The email address for security questions.",
   "brandMetadata.twitterHandle": "Its handle on Twitter.",
   "brandMetadata.websiteUrl": "Its website.",
   "id": "The id.",
   "integrations": "Which integrations are connected.",
   "integrations.discord": "Whether Discord is connected.",
   "integrations.intercom": "Whether Intercom is connected.",
   "integrations.moderation": "Whether moderation is connected.",
   "integrations.slack": "Whether Slack is connected.",
   "integrations.telegram": "Whether Telegram is connected.",
   "integrations.telegram.connected": "Whether it is connected.",
   "integrations.telegram.groupCount": "How many groups are connected.",
   "integrations.vercel": "Whether Vercel is connected.",
   "legalDocuments": "The documents that prove the right to act.",
   "legalDocuments.letterOfAuthorization": "The letter of authorization.",
   "legalDocuments.letterOfAuthorization.fileName": "The name of the file.",
   "legalDocuments.letterOfAuthorization.fileUrl": "The address of the file.",
   "legalDocuments.letterOfAuthorization.present": "Whether the document was uploaded.",
   "legalDocuments.powerOfAttorney": "The power of attorney.",
   "legalDocuments.powerOfAttorney.fileName": "The name of the file.",
   "legalDocuments.powerOfAttorney.fileUrl": "The address of the file.",
   "legalDocuments.powerOfAttorney.present": "Whether the document was uploaded.",
   "metricsVisibility": "Who can see the metrics.",
   "name": "The name.",
   "obligatoryAdminApproval": "Whether an administrator of the organization must confirm a block.",
   "portalCustomization": "How the portal looks.",
   "portalCustomization.avatarUrl": "The address of the picture that the portal shows.",
   "portalCustomization.bannerContent": "The text of the banner.",
   "portalCustomization.bannerEnabled": "Whether the banner is shown.",
   "portalCustomization.name": "The name that the portal shows.",
   "portalCustomization.slug": "The slug of the portal.",
   "portalCustomization.useCustomDetails": "Whether the portal has its own details.",
   "portalVisibility": "Who can see the portal.",
   "reportVisibility": "Who can see the reports.",
   "services": "Which services are active.",
   "services.darkWebMonitoring": "The service that watches the dark web.",
   "services.darkWebMonitoring.active": "Whether it is active.",
   "services.detection": "The service of detection.",
   "services.detection.active": "Whether it is active.",
   "services.protection": "The service of protection.",
   "services.protection.active": "Whether it is active.",
   "services.reporting": "The service of reports.",
   "services.reporting.active": "Whether it is active.",
   "services.reviewing": "The service of reviews.",
   "services.reviewing.active": "Whether it is active.",
   "services.takedowns": "The service of takedowns.",
   "services.takedowns.active": "Whether it is active.",
   "services.takedowns.automated": "Whether takedowns are filed automatically.",
   "slug": "Its slug, which names it in other calls.",
   "subscriptionStatus": "The state of the subscription.",
   "trademarkRegistrations": "Its trademarks. The fields of an entry are not published."
  }
 },
 "account.validate": {
  "input": {},
  "output": {
   "kind": "What the key belongs to: `organization` or `user`.",
   "organizations": "The organizations that the key can act for.",
   "organizations.id": "The id.",
   "organizations.name": "The name.",
   "organizations.slug": "Its slug, which names it in other calls.",
   "userId": "The user of the key; `null` for the key of an organization.",
   "valid": "Whether the key is valid. An invalid key may also be an `UNAUTHORIZED` error."
  }
 },
 "assets.changelog": {
  "input": {
   "type": "Only changes of this type of asset."
  },
  "output": {
   "changes": "The latest changes, newest first.",
   "changes.assetId": "The id of the asset.",
   "changes.changedAt": "When it changed, in ISO 8601.",
   "changes.content": "The asset in its normalized form.",
   "changes.previousStatus": "Its status before the change.",
   "changes.status": "Its status after the change.",
   "changes.type": "The type of the asset."
  }
 },
 "assets.check": {
  "input": {
   "content": "The asset as text, such as a link or an address."
  },
  "output": {
   "code": "Why the content cannot be checked.",
   "message": "An explanation for people.",
   "reason": "Why the answer is what it is.",
   "source": "The feed; the service has a name of its own.",
   "sources": "What each source says.",
   "sources.source": "The feed; the service has a name of its own.",
   "sources.status": "Whether it is blocked, allowed or unknown.",
   "status": "Whether it is blocked, allowed or unknown."
  }
 },
 "assets.list": {
  "input": {
   "endDate": "The last day of the changes, which is included.",
   "next_page": "Where the page starts: the `next_page` of the page before it.",
   "organizationSlug": "The organization, by its slug.",
   "per_page": "Items of one page.",
   "startDate": "The first day of the changes; without dates, those of the last day are listed.",
   "status": "The status of the assets; `BLOCKED` by default.",
   "type": "The type of the assets."
  },
  "output": {
   "assets": "The assets.",
   "assets.blockedAt": "When it was blocked, in ISO 8601.",
   "assets.content": "The asset as text, such as a link or an address.",
   "assets.id": "The id.",
   "assets.livenessStatus": "Whether the site answers; `null` if it was never checked.",
   "assets.reason": "Why the asset has this status.",
   "assets.status": "Whether it is blocked, allowed or unknown.",
   "assets.type": "The type of asset.",
   "assets.updatedAt": "When it was last changed, in ISO 8601.",
   "assets.watchStatus": "Whether the service watches the asset for changes.",
   "next_page": "Where the next page starts; `null` or absent on the last one."
  }
 },
 "assets.parse": {
  "input": {
   "content": "The asset as text, such as a link or an address."
  },
  "output": {
   "content": "The asset in its normalized form.",
   "submittedContent": "The text that was sent.",
   "type": "The type of asset."
  }
 },
 "assets.scan": {
  "input": {
   "callbackUrl": "Where the service sends the result.",
   "content": "The asset as text, such as a link or an address.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "scanId": "The id of the scan, for `scanResult`.",
   "status": "How far the scan is."
  }
 },
 "assets.scanResult": {
  "input": {
   "scanId": "The scan, by its id."
  },
  "output": {
   "createdAt": "When the scan was started, in ISO 8601.",
   "enrichments": "The data that the scan gathered.",
   "id": "The id of the scan.",
   "output": "The result; `null` until the scan is complete.",
   "output.labels": "The labels that matched, each with its score.",
   "output.labels.name": "The name of the label.",
   "output.labels.score": "How well it matches, from 0 to 1.",
   "output.liveness": "Whether the site answers.",
   "output.riskScore": "The risk, from 0 to 1.",
   "status": "How far the scan is."
  }
 },
 "assets.search": {
  "input": {
   "assetId": "The asset, by its id.",
   "content": "The asset as text, such as a link or an address."
  },
  "output": {
   "asset": "The asset; `null` if the service does not know it.",
   "asset.blockedAt": "When it was blocked, in ISO 8601.",
   "asset.content": "The asset as text, such as a link or an address.",
   "asset.createdAt": "When it was created, in ISO 8601.",
   "asset.id": "The id.",
   "asset.livenessStatus": "Whether the site answers; `null` if it was never checked.",
   "asset.status": "Whether it is blocked, allowed or unknown.",
   "asset.type": "The type of asset.",
   "asset.updatedAt": "When it was last changed, in ISO 8601.",
   "asset.watchStatus": "Whether the service watches the asset for changes.",
   "blockedBy": "The products that use the block.",
   "blockedBy.consumedAt": "When the product took it over, in ISO 8601.",
   "blockedBy.consumer": "The product that uses the block.",
   "blockedBy.name": "The name of that product.",
   "reports": "The reports.",
   "reports.createdAt": "When it was created, in ISO 8601.",
   "reports.id": "The id.",
   "reports.status": "How far the review is.",
   "reports.title": "The title of the report.",
   "scans": "The scans of the asset.",
   "scans.createdAt": "When it was created, in ISO 8601.",
   "scans.id": "The id.",
   "takedown": "The takedown of the asset; `null` if there is none.",
   "takedown.attachments": "The files that were sent with the takedown.",
   "takedown.attachments.fileName": "The name under which the file was uploaded.",
   "takedown.attachments.url": "Where the file is.",
   "takedown.createdAt": "When it was created, in ISO 8601.",
   "takedown.id": "The id.",
   "takedown.status": "How far the takedown is.",
   "takedown.tasks": "The steps of the takedown, one for each provider.",
   "takedown.tasks.createdAt": "When it was created, in ISO 8601.",
   "takedown.tasks.externalId": "The id of the task at the provider.",
   "takedown.tasks.id": "The id.",
   "takedown.tasks.lastResponseAt": "When the provider last responded, in ISO 8601.",
   "takedown.tasks.retractedAt": "When it was retracted, in ISO 8601.",
   "takedown.tasks.retractionStatus": "Whether the takedown was retracted.",
   "takedown.tasks.status": "How far the task is.",
   "takedown.tasks.submittedAt": "When it was submitted, in ISO 8601.",
   "takedown.tasks.takedownProvider": "Who is asked to take it down.",
   "takedown.tasks.takedownProvider.name": "The name of the provider.",
   "takedown.tasks.type": "The type of task.",
   "takedown.tasks.updatedAt": "When it was last changed, in ISO 8601.",
   "takedown.updatedAt": "When it was last changed, in ISO 8601."
  }
 },
 "assets.submit": {
  "input": {
   "assets": "The assets as text, such as links or addresses.",
   "organizationSlug": "The organization, by its slug."
  },
  "output": {
   "submittedAssets": "One entry for each asset that was sent.",
   "submittedAssets.asset": "The asset as text.",
   "submittedAssets.assetId": "The id of the asset.",
   "submittedAssets.scanId": "The id of the scan that was started."
  }
 },
 "assets.unblock": {
  "input": {
   "content": "The asset as text, such as a link or an address.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "assetId": "The id of the asset.",
   "disputeId": "The dispute that was opened instead.",
   "outcome": "`UNBLOCKED`, or `DISPUTED` if the block is another organization's."
  }
 },
 "attachments.upload": {
  "input": {
   "file": "One file to upload.",
   "file.path": "The path of a file; on Node only.",
   "fileName": "The name of the file.",
   "files": "Up to ten files, 4 MB together.",
   "files.file": "The file.",
   "files.file.path": "The path of a file; on Node only.",
   "files.fileName": "The name of the file."
  },
  "output": {
   "attachments": "The attached files.",
   "attachments.fileName": "The name of the file.",
   "attachments.sizeBytes": "The size, in bytes.",
   "attachments.url": "Where the file is, for `attachmentUrls` of a report."
  }
 },
 "blocklist.confirm": {
  "input": {
   "algoVersion": "The version of the algorithm that makes expressions of links.",
   "prefixes": "The first four bytes of hashes, as eight hex digits each."
  },
  "output": {
   "hashes": "The full hashes of blocked expressions, as hex, by the prefix that was asked for."
  }
 },
 "blocklist.version": {
  "input": {},
  "output": {
   "algoVersion": "The version of the algorithm that makes expressions of links.",
   "recent": "What was added since the snapshot.",
   "recent.count": "How many prefixes the file has.",
   "recent.token": "Changes whenever the file changes.",
   "recent.url": "Where the file is.",
   "snapshot": "The whole list.",
   "snapshot.count": "How many prefixes the file has.",
   "snapshot.token": "Changes whenever the file changes.",
   "snapshot.url": "Where the file is."
  }
 },
 "deprecated.assetDetails": {
  "input": {
   "content": "The asset as text, such as a link or an address."
  },
  "output": {
   "reason": "Why the asset has this status.",
   "reportId": "The report behind the latest change, by its id.",
   "reportUrl": "The address of that report.",
   "status": "Whether it is blocked, allowed or unknown."
  }
 },
 "deprecated.getOrganizationMetrics": {
  "input": {
   "brandSlug": "The brand, by its slug.",
   "endDate": "The end of the range.",
   "organizationSlug": "The organization, by its slug.",
   "startDate": "The start of the range."
  },
  "output": {
   "blockedByDay": "What was blocked, by day; `null` if `include` leaves it out.",
   "blockedByDay.count": "How many were blocked.",
   "blockedByDay.date": "The day, as `YYYY-MM-DD`.",
   "blockedByType": "What was blocked, by asset type; `null` if `include` leaves it out.",
   "blockedByType.count": "How many were blocked.",
   "blockedByType.type": "The asset type.",
   "metrics": "The totals.",
   "metrics.domainThreats": "Threats on domains.",
   "metrics.newThreats": "New threats.",
   "metrics.otherThreats": "All other threats.",
   "metrics.reports": "Reports.",
   "metrics.takedownsCompleted": "Takedowns that were completed.",
   "metrics.takedownsFiled": "Takedowns that were filed.",
   "metrics.telegramThreats": "Threats on Telegram.",
   "metrics.threatsWatchlisted": "Threats on the watchlist.",
   "metrics.twitterThreats": "Threats on Twitter."
  }
 },
 "deprecated.getOrganizationReports": {
  "input": {
   "cursor": "Where the page starts; `null` for the first one.",
   "endDate": "Only reports created up to this time.",
   "excludeAutomation": "Leave out reports by automation.",
   "limit": "Items of one page.",
   "needsCustomerReview": "Only reports that await, or do not await, the organization's decision.",
   "onlyRejected": "Only reports with a rejected proposal.",
   "reporterKind": "Only reports by people, or by automation.",
   "reviewerKind": "Only reports that were reviewed by people, or by automation.",
   "slug": "The organization, by its slug.",
   "startDate": "Only reports created from this time on."
  },
  "output": {
   "cursor": "`nextCursor`, in older documentation.",
   "nextCursor": "Where the next page starts; `null` or absent on the last one.",
   "reports": "The reports.",
   "reports.assets": "The assets, in older documentation. The fields of an entry are not published.",
   "reports.attachments": "The attached files.",
   "reports.attachments.id": "The id.",
   "reports.attachments.url": "The address.",
   "reports.createdAt": "When it was created, in ISO 8601.",
   "reports.description": "The description.",
   "reports.duplicateOfId": "The report that this one duplicates, by its id.",
   "reports.externalReporter": "Who reported it on another platform.",
   "reports.externalReporter.avatarUrl": "The address of its picture.",
   "reports.externalReporter.displayName": "The name on that platform.",
   "reports.externalReporter.id": "The id.",
   "reports.externalReporter.platform": "The platform.",
   "reports.externalSubmissionLink": "The address of the submission elsewhere.",
   "reports.favoritedAt": "When it became a favorite, in ISO 8601; `null` if it is not one.",
   "reports.id": "The id.",
   "reports.imageDisplay": "Whether images are shown, blurred or hidden.",
   "reports.proposals": "One proposal for each asset.",
   "reports.proposals.asset": "The asset.",
   "reports.proposals.asset.content": "The asset as text, such as a link or an address.",
   "reports.proposals.asset.id": "The id.",
   "reports.proposals.asset.scans": "The scans of the asset.",
   "reports.proposals.asset.scans.createdAt": "When it was created, in ISO 8601.",
   "reports.proposals.asset.scans.enrichments": "Data that was gathered about the asset.",
   "reports.proposals.asset.scans.enrichments.id": "The id.",
   "reports.proposals.asset.scans.enrichments.output": "The data. Its shape is not published.",
   "reports.proposals.asset.scans.enrichments.status": "How far the gathering of this data is.",
   "reports.proposals.asset.scans.enrichments.type": "The kind of data.",
   "reports.proposals.asset.scans.id": "The id.",
   "reports.proposals.asset.scans.output": "The result. Its shape is not published.",
   "reports.proposals.asset.scans.status": "How far the scan is.",
   "reports.proposals.asset.status": "Whether it is blocked, allowed or unknown.",
   "reports.proposals.asset.type": "The type of asset.",
   "reports.proposals.id": "The id.",
   "reports.proposals.reviewStatus": "What was decided about the proposal.",
   "reports.reportedByCustomer": "Whether the organization itself reported it.",
   "reports.reporter": "Who reported it.",
   "reports.reporter.avatarUrl": "The address of its picture.",
   "reports.reporter.fullName": "The full name.",
   "reports.reporter.id": "The id.",
   "reports.reporter.role": "The role.",
   "reports.slaDueAt": "When the promised response time ends, in ISO 8601.",
   "reports.source": "Where it comes from.",
   "reports.sourceMetadata": "What the source adds. Its shape is not published.",
   "reports.status": "How far the review is; `null` until the first review.",
   "reports.threatActor": "The threat actor; `null` if unknown.",
   "reports.threatActor.id": "The id.",
   "reports.threatActor.name": "The name.",
   "reports.title": "The title.",
   "reports.updatedAt": "When it was last changed, in ISO 8601.",
   "totalCount": "How many there are on all pages."
  }
 },
 "detections.configsCreate": {
  "input": {
   "brandId": "The brand to look for, by its id.",
   "config": "The settings of the source.",
   "cron": "When it runs, as a cron expression.",
   "description": "The description of the config.",
   "slug": "The organization, by its slug.",
   "source": "The source to configure.",
   "title": "The title of the config."
  },
  "output": {
   "config": "The config after the call.",
   "config.brandId": "The brand it looks for.",
   "config.config": "The settings of the source.",
   "config.createdAt": "When it was created, in ISO 8601.",
   "config.cron": "When it runs, as a cron expression.",
   "config.description": "Its description.",
   "config.id": "The id of the config.",
   "config.lastRunAt": "When it last ran, in ISO 8601; `null` before the first run.",
   "config.source": "The source it configures.",
   "config.status": "Whether it runs.",
   "config.title": "Its title."
  }
 },
 "detections.configsDelete": {
  "input": {
   "configId": "The config, by its id.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "configId": "The id of the deleted config.",
   "success": "Whether it was deleted."
  }
 },
 "detections.configsList": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "sources": "The configured sources.",
   "sources.configs": "Its configs.",
   "sources.configs.brandId": "The brand it looks for.",
   "sources.configs.config": "The settings of the source.",
   "sources.configs.createdAt": "When it was created, in ISO 8601.",
   "sources.configs.cron": "When it runs, as a cron expression.",
   "sources.configs.description": "Its description.",
   "sources.configs.id": "The id of the config.",
   "sources.configs.lastRunAt": "When it last ran, in ISO 8601; `null` before the first run.",
   "sources.configs.source": "The source it configures.",
   "sources.configs.status": "Whether it runs.",
   "sources.configs.title": "Its title.",
   "sources.source": "The key of the source."
  }
 },
 "detections.configsRun": {
  "input": {
   "configId": "Only this config, by its id.",
   "includeDisabled": "Disabled configs too.",
   "slug": "The organization, by its slug.",
   "source": "Only configs of this source."
  },
  "output": {
   "runs": "One entry for each config.",
   "runs.configId": "The id of the config.",
   "runs.newDetections": "How many detections the run added.",
   "runs.source": "The source that the config configures.",
   "runs.status": "`COMPLETED` or `SKIPPED`."
  }
 },
 "detections.configsUpdate": {
  "input": {
   "config": "The settings of the source.",
   "configId": "The config, by its id.",
   "cron": "When it runs, as a cron expression.",
   "description": "The new description.",
   "mergeConfig": "Merge the settings with those that exist, instead of replacing them.",
   "slug": "The organization, by its slug.",
   "status": "`DISABLED` stops the config permanently.",
   "title": "The new title."
  },
  "output": {
   "config": "The config after the call.",
   "config.brandId": "The brand it looks for.",
   "config.config": "The settings of the source.",
   "config.createdAt": "When it was created, in ISO 8601.",
   "config.cron": "When it runs, as a cron expression.",
   "config.description": "Its description.",
   "config.id": "The id of the config.",
   "config.lastRunAt": "When it last ran, in ISO 8601; `null` before the first run.",
   "config.source": "The source it configures.",
   "config.status": "Whether it runs.",
   "config.title": "Its title."
  }
 },
 "detections.configsValidate": {
  "input": {
   "includeDisabled": "Disabled configs too.",
   "lookbackHours": "How many hours are looked at.",
   "minResults": "How much a config must find.",
   "run": "Run the configs first.",
   "slug": "The organization, by its slug.",
   "source": "Only configs of this source."
  },
  "output": {
   "checked": "How many configs were checked.",
   "failures": "The configs that found too little. This name is published.",
   "failures.configId": "The id of the config.",
   "failures.ok": "Whether that is enough.",
   "failures.resultCount": "How much it found.",
   "failures.source": "The source that the config configures.",
   "failures.title": "The title of the config.",
   "lookbackHours": "How many hours were looked at.",
   "minResults": "How much a config must find.",
   "results": "One entry for each config.",
   "results.configId": "The id of the config.",
   "results.ok": "Whether that is enough.",
   "results.resultCount": "How much it found.",
   "results.source": "The source that the config configures.",
   "results.title": "The title of the config."
  }
 },
 "detections.drift": {
  "input": {
   "configId": "Only this config, by its id.",
   "includeDisabled": "Disabled configs too.",
   "lookbackHours": "How many hours are looked at.",
   "slug": "The organization, by its slug.",
   "source": "Only configs of this source."
  },
  "output": {
   "checked": "How many configs were checked.",
   "lookbackHours": "How many hours were looked at.",
   "signals": "What should be changed."
  }
 },
 "detections.list": {
  "input": {
   "cursor": "Where the page starts; `null` for the first one.",
   "endDate": "Only detections made up to this time.",
   "filters": "What the detections must match.",
   "filters.operator": "Whether the value must, or must not, be among those of the filter.",
   "filters.property": "What is compared.",
   "filters.value": "The values of the filter.",
   "limit": "Items of one page.",
   "query": "Only what contains this text.",
   "slug": "The organization, by its slug.",
   "startDate": "Only detections made from this time on."
  },
  "output": {
   "detections": "The detections.",
   "detections.asset": "The asset of the detection.",
   "detections.asset.content": "The asset as text, such as a link or an address.",
   "detections.asset.id": "The id.",
   "detections.asset.status": "Whether it is blocked, allowed or unknown.",
   "detections.asset.type": "The type of asset.",
   "detections.brands": "The brands it concerns.",
   "detections.brands.id": "The id.",
   "detections.brands.name": "The name.",
   "detections.brands.slug": "The slug of the brand.",
   "detections.confidence": "How sure the detection is.",
   "detections.configId": "The config that found it, by its id.",
   "detections.createdAt": "When it was created, in ISO 8601.",
   "detections.id": "The id.",
   "detections.reason": "Why it was detected.",
   "detections.reportStatus": "Whether the asset was reported.",
   "detections.reportedAt": "When it was reported, in ISO 8601.",
   "detections.score": "The score of the detection, from 0 to 1.",
   "detections.source": "The source that found it.",
   "detections.threatContent": "What was found.",
   "nextCursor": "Where the next page starts; `null` or absent on the last one."
  }
 },
 "detections.sourcesList": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "sources": "The sources that fit the organization.",
   "sources.assetTypes": "The types of assets it finds; `null` for all.",
   "sources.brandScoped": "Whether a config names a brand.",
   "sources.configSchema": "The JSON Schema of its settings. This name is published.",
   "sources.defaultCron": "The schedule of a config without its own; `null` for a source that is pushed.",
   "sources.description": "What it finds.",
   "sources.kind": "`pull` if it is polled, `push` if it calls the service.",
   "sources.scopes": "Where it can be configured: `organization` or `global`.",
   "sources.source": "The key of the source, for `configsCreate`."
  }
 },
 "detections.threatsList": {
  "input": {
   "assetType": "Only these asset types.",
   "endDate": "Only threats blocked on this day or earlier.",
   "next_page": "Where the page starts: the `next_page` of the page before it.",
   "per_page": "Items of one page.",
   "query": "Only what contains this text.",
   "sorting": "The order of the items; the first key counts most.",
   "sorting.direction": "The direction.",
   "sorting.key": "What the items are sorted by.",
   "startDate": "Only threats blocked on this day or later."
  },
  "output": {
   "next_page": "Where the next page starts; `null` or absent on the last one.",
   "threats": "The threats.",
   "threats.blockedAt": "When it was blocked, in ISO 8601.",
   "threats.content": "The asset as text, such as a link or an address.",
   "threats.id": "The id.",
   "threats.livenessStatus": "Whether the site answers; `null` if it was never checked.",
   "threats.type": "The type of asset."
  }
 },
 "disputes.create": {
  "input": {
   "content": "The asset as text, such as a link or an address.",
   "description": "Why the block is a mistake.",
   "email": "The email address of the sender; needed unless the key belongs to a user with one."
  },
  "output": {
   "content": "The asset as text, such as a link or an address.",
   "id": "The id of the dispute.",
   "message": "An explanation for people."
  }
 },
 "healthchecks.assetsDeadAssetSpike": {
  "input": {
   "baselineDays": "How many days before are compared with.",
   "minSpikeCount": "From how many on a rise counts.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.detectionsSilentConfigs": {
  "input": {
   "lookbackHours": "How many hours are looked at.",
   "minResults": "How much a config must find.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.list": {
  "input": {},
  "output": {
   "checks": "The checks.",
   "checks.id": "The id of the check.",
   "checks.implemented": "Whether the check can be called.",
   "checks.notImplementedReason": "Why it cannot be called."
  }
 },
 "healthchecks.organizationMissingContactUrl": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.reviewingBacklog": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.reviewingOldProposals": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.takedownsAutomationOff": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.takedownsCancelledCount": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.takedownsInProgressVolume": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.takedownsStaleInProgress": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "healthchecks.takedownsTodoVolume": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "findings": "What is wrong, in the checks that name it.",
   "id": "The id of the check.",
   "observed": "What was measured.",
   "severity": "What the check found: `ok`, `warn` or `fail`.",
   "suggestedAction": "What to do about it.",
   "threshold": "What it was compared with."
  }
 },
 "metrics.blockedByFirstReportSource": {
  "input": {},
  "output": {
   "sources": "How many threats each source reported first.",
   "sources.count": "How many there are.",
   "sources.source": "Where it comes from.",
   "totalCount": "The sum of all sources."
  }
 },
 "metrics.breakdown": {
  "input": {
   "brandIds": "Only these brands, by their ids.",
   "by": "The axis of the groups.",
   "endDate": "The end of the range.",
   "slug": "The organization, by its slug.",
   "startDate": "The start of the range."
  },
  "output": {
   "by": "The axis of the groups.",
   "endDate": "The end of the range, in ISO 8601.",
   "groups": "One group for each value of the axis.",
   "groups.count": "How many there are.",
   "groups.key": "The value of the axis; `null` for what has none.",
   "startDate": "The start of the range, in ISO 8601.",
   "totalCount": "The sum of all groups."
  }
 },
 "metrics.found": {
  "input": {
   "brandIds": "Only these brands, by their ids.",
   "endDate": "The end of the range.",
   "slug": "The organization, by its slug.",
   "startDate": "The start of the range."
  },
  "output": {
   "endDate": "The end of the range, in ISO 8601.",
   "found": "How many threats were found.",
   "foundBy": "How they were found.",
   "foundBy.detections": "Found by detection.",
   "foundBy.reports": "Found by reports.",
   "foundByDay": "How many were found on each day.",
   "foundByDay.count": "How many there are.",
   "foundByDay.date": "The day, as `YYYY-MM-DD`.",
   "startDate": "The start of the range, in ISO 8601."
  }
 },
 "metrics.list": {
  "input": {
   "brandSlug": "The brand, by its slug.",
   "endDate": "The end of the range.",
   "include": "The figures to return; the others are left out.",
   "slug": "The organization, by its slug.",
   "slugs": "Several organizations, by their slugs.",
   "startDate": "The start of the range."
  },
  "output": {
   "blockedByDay": "What was blocked, by day; `null` if `include` leaves it out.",
   "blockedByDay.count": "How many were blocked.",
   "blockedByDay.date": "The day, as `YYYY-MM-DD`.",
   "blockedByType": "What was blocked, by asset type; `null` if `include` leaves it out.",
   "blockedByType.count": "How many were blocked.",
   "blockedByType.type": "The asset type.",
   "metrics": "The totals.",
   "metrics.domainThreats": "Threats on domains.",
   "metrics.newThreats": "New threats.",
   "metrics.otherThreats": "All other threats.",
   "metrics.reports": "Reports.",
   "metrics.takedownsCompleted": "Takedowns that were completed.",
   "metrics.takedownsFiled": "Takedowns that were filed.",
   "metrics.telegramThreats": "Threats on Telegram.",
   "metrics.threatsWatchlisted": "Threats on the watchlist.",
   "metrics.twitterThreats": "Threats on Twitter."
  }
 },
 "metrics.summary": {
  "input": {
   "brandIds": "Only these brands, by their ids.",
   "endDate": "The end of the range.",
   "slug": "The organization, by its slug.",
   "startDate": "The start of the range."
  },
  "output": {
   "blockedByBrand": "What was blocked, by brand.",
   "blockedByBrand.brand": "The brand; `null` for what has none.",
   "blockedByBrand.count": "How many there are.",
   "blockedByDay": "What was blocked, by day.",
   "blockedByDay.count": "How many there are.",
   "blockedByDay.date": "The day, as `YYYY-MM-DD`.",
   "blockedByType": "What was blocked, by asset type.",
   "blockedByType.count": "How many there are.",
   "blockedByType.type": "The asset type.",
   "endDate": "The end of the range, in ISO 8601.",
   "metrics": "The totals by name, as in `list`.",
   "startDate": "The start of the range, in ISO 8601."
  }
 },
 "metrics.takedownTime": {
  "input": {
   "blockLabel": "Only threats that were blocked with this label.",
   "brandIds": "Only these brands, by their ids.",
   "brandType": "Only brands of this type.",
   "countryCodes": "Only these countries, by their codes of two letters.",
   "endDate": "The end of the range.",
   "slug": "The organization, by its slug.",
   "startDate": "The start of the range."
  },
  "output": {
   "byAssetType": "One entry for each asset type, quickest first.",
   "byAssetType.assetType": "The asset type.",
   "byAssetType.count": "How many takedowns there are.",
   "byAssetType.medianTakedownDays": "The median time to takedown, in days; `null` without data.",
   "byAssetType.medianTakedownHours": "The median time to takedown, in hours; `null` without data.",
   "byAssetType.medianTakedownMinutes": "The median time to takedown, in minutes; `null` without data."
  }
 },
 "metrics.takedownTimeTrend": {
  "input": {
   "assetTypes": "Only these asset types.",
   "blockLabel": "Only threats that were blocked with this label.",
   "brandIds": "Only these brands, by their ids.",
   "brandType": "Only brands of this type.",
   "countryCodes": "Only these countries, by their codes of two letters.",
   "months": "How many months to return.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "months": "How many months were returned.",
   "periods": "The months, as `YYYY-MM`, oldest first.",
   "series": "One series for each asset type, or one for all together.",
   "series.assetType": "The asset type; `null` for all together.",
   "series.change": "The latest change.",
   "series.change.direction": "Whether it improved.",
   "series.change.latest": "The latest month with data.",
   "series.change.latest.count": "How many takedowns there are.",
   "series.change.latest.medianTakedownDays": "The median time to takedown, in days; `null` without data.",
   "series.change.latest.medianTakedownHours": "The median time to takedown, in hours; `null` without data.",
   "series.change.latest.medianTakedownMinutes": "The median time to takedown, in minutes; `null` without data.",
   "series.change.latest.period": "The month, as `YYYY-MM`.",
   "series.change.percentChange": "The change, in percent.",
   "series.change.previous": "The month before that.",
   "series.change.previous.count": "How many takedowns there are.",
   "series.change.previous.medianTakedownDays": "The median time to takedown, in days; `null` without data.",
   "series.change.previous.medianTakedownHours": "The median time to takedown, in hours; `null` without data.",
   "series.change.previous.medianTakedownMinutes": "The median time to takedown, in minutes; `null` without data.",
   "series.change.previous.period": "The month, as `YYYY-MM`.",
   "series.points": "One point for each month.",
   "series.points.count": "How many takedowns there are.",
   "series.points.medianTakedownDays": "The median time to takedown, in days; `null` without data.",
   "series.points.medianTakedownHours": "The median time to takedown, in hours; `null` without data.",
   "series.points.medianTakedownMinutes": "The median time to takedown, in minutes; `null` without data.",
   "series.points.period": "The month, as `YYYY-MM`."
  }
 },
 "organization.assetGroupsCreate": {
  "input": {
   "name": "The name, which must be unique in the organization."
  },
  "output": {
   "id": "The id.",
   "name": "The name."
  }
 },
 "organization.assetGroupsDelete": {
  "input": {
   "groupId": "The group, by its id."
  },
  "output": {
   "id": "The id of the group.",
   "success": "Whether it succeeded; a failed call is an error.",
   "unassignedAssetCount": "How many assets have no group now."
  }
 },
 "organization.assetGroupsList": {
  "input": {},
  "output": {
   "groups": "The groups.",
   "groups.assetCount": "How many assets the group has.",
   "groups.id": "The id.",
   "groups.name": "The name."
  }
 },
 "organization.assetGroupsUpdate": {
  "input": {
   "groupId": "The group, by its id.",
   "name": "The new name, which must be unique in the organization."
  },
  "output": {
   "id": "The id.",
   "name": "The name."
  }
 },
 "organization.assetsAdd": {
  "input": {
   "assets": "The assets.",
   "assets.content": "The asset as text, such as a link or an address.",
   "assets.description": "A description of the asset.",
   "assets.groupId": "The group to put it in, by its id.",
   "assets.name": "A name for the asset."
  },
  "output": {
   "errorCount": "How many failed.",
   "results": "One result for each asset.",
   "results.content": "The asset as text, such as a link or an address.",
   "results.error": "Why it was not added.",
   "results.id": "The id of the asset, if it was added.",
   "results.success": "Whether the asset was added.",
   "successCount": "How many succeeded."
  }
 },
 "organization.assetsList": {
  "input": {
   "groupId": "Only assets of this group, by its id; `-1` for those without a group.",
   "next_page": "Where the page starts: the `next_page` of the page before it.",
   "per_page": "Items of one page.",
   "query": "Only what contains this text.",
   "slug": "The organization, by its slug.",
   "type": "Only assets of this type."
  },
  "output": {
   "assets": "The assets.",
   "assets.content": "The asset as text, such as a link or an address.",
   "assets.createdAt": "When it was created, in ISO 8601.",
   "assets.description": "The description that it was given.",
   "assets.group": "The group of the asset; `null` without one.",
   "assets.group.id": "The id.",
   "assets.group.name": "The name.",
   "assets.id": "The id.",
   "assets.name": "The name that it was given.",
   "assets.status": "Whether it is blocked, allowed or unknown.",
   "assets.type": "The type of asset.",
   "assets.updatedAt": "When it was last changed, in ISO 8601.",
   "next_page": "Where the next page starts; `null` or absent on the last one."
  }
 },
 "organization.assetsRemove": {
  "input": {
   "assetId": "The asset, by its id."
  },
  "output": {
   "id": "The id of the asset.",
   "success": "Whether it succeeded; a failed call is an error."
  }
 },
 "organization.assetsUpdate": {
  "input": {
   "assetId": "The asset, by its id.",
   "description": "The new description; `null` removes it.",
   "groupId": "The new group, by its id; `null` for none.",
   "name": "The new name."
  },
  "output": {
   "content": "The asset as text, such as a link or an address.",
   "description": "The description; `null` without one.",
   "groupId": "The group, by its id; `null` without one.",
   "id": "The id of the asset.",
   "name": "The name; `null` without one."
  }
 },
 "organization.brands": {
  "input": {
   "slug": "The organization, by its slug."
  },
  "output": {
   "brands": "The brands.",
   "brands.avatarUrl": "The address of its picture.",
   "brands.brandColors": "Its colors. The type is not published.",
   "brands.brandGroupId": "The group of the brand.",
   "brands.excludedTerms": "Terms to leave out.",
   "brands.id": "The id.",
   "brands.includedTerms": "Terms to look for.",
   "brands.legalDocuments": "The documents that prove the right to act.",
   "brands.legalDocuments.letterOfAuthorization": "The letter of authorization.",
   "brands.legalDocuments.letterOfAuthorization.fileName": "The name of the file.",
   "brands.legalDocuments.letterOfAuthorization.fileUrl": "The address of the file.",
   "brands.legalDocuments.letterOfAuthorization.present": "Whether the document was uploaded.",
   "brands.legalDocuments.powerOfAttorney": "The power of attorney.",
   "brands.legalDocuments.powerOfAttorney.fileName": "The name of the file.",
   "brands.legalDocuments.powerOfAttorney.fileUrl": "The address of the file.",
   "brands.legalDocuments.powerOfAttorney.present": "Whether the document was uploaded.",
   "brands.name": "The name.",
   "brands.slug": "The slug of the brand.",
   "brands.tickers": "Its ticker symbols.",
   "brands.trademarkRegistrations": "Its trademarks. The fields of an entry are not published.",
   "brands.twitterHandle": "Its handle on Twitter.",
   "brands.type": "The type of brand.",
   "brands.useOrganizationDocs": "Whether the legal documents are those of the organization.",
   "brands.websiteUrl": "Its website."
  }
 },
 "queues.snapshot": {
  "input": {
   "slug": "The organization, by its slug.",
   "windowHours": "After how many hours a wait is too long."
  },
  "output": {
   "reviewing": "What waits for review.",
   "reviewing.ages": "How many have waited how long, such as `UNDER_1_DAY`.",
   "reviewing.ages.count": "How many wait in it.",
   "reviewing.ages.name": "The bucket.",
   "reviewing.count": "How many wait.",
   "reviewing.oldestSince": "Since when the oldest has waited, in ISO 8601.",
   "reviewing.sla": "How many are how close to the end of the promised response time, such as `OVERDUE`.",
   "reviewing.sla.count": "How many wait in it.",
   "reviewing.sla.name": "The bucket.",
   "reviewing.staleCount": "How many have waited too long.",
   "takedowns": "What waits for takedown, by status.",
   "takedowns.inProgress": "What is in progress.",
   "takedowns.inProgress.ages": "How many have waited how long, such as `UNDER_1_DAY`.",
   "takedowns.inProgress.ages.count": "How many wait in it.",
   "takedowns.inProgress.ages.name": "The bucket.",
   "takedowns.inProgress.count": "How many wait.",
   "takedowns.inProgress.oldestSince": "Since when the oldest has waited, in ISO 8601.",
   "takedowns.inProgress.sla": "How many are how close to the end of the promised response time, such as `OVERDUE`.",
   "takedowns.inProgress.sla.count": "How many wait in it.",
   "takedowns.inProgress.sla.name": "The bucket.",
   "takedowns.inProgress.staleCount": "How many have waited too long.",
   "takedowns.todo": "What has not been started.",
   "takedowns.todo.ages": "How many have waited how long, such as `UNDER_1_DAY`.",
   "takedowns.todo.ages.count": "How many wait in it.",
   "takedowns.todo.ages.name": "The bucket.",
   "takedowns.todo.count": "How many wait.",
   "takedowns.todo.oldestSince": "Since when the oldest has waited, in ISO 8601.",
   "takedowns.todo.sla": "How many are how close to the end of the promised response time, such as `OVERDUE`.",
   "takedowns.todo.sla.count": "How many wait in it.",
   "takedowns.todo.sla.name": "The bucket.",
   "takedowns.todo.staleCount": "How many have waited too long.",
   "takenAt": "The time of the snapshot, in ISO 8601.",
   "windowHours": "After how many hours a wait is too long."
  }
 },
 "reports.create": {
  "input": {
   "assets": "The assets.",
   "assets.brandSlug": "The brand, by its slug.",
   "assets.content": "The asset as text, such as a link or an address.",
   "assets.enrichments": "Data about the asset.",
   "assets.enrichments.output": "The data.",
   "assets.enrichments.source": "Where the data comes from.",
   "assets.enrichments.type": "The kind of data.",
   "assets.reporterConfidence": "How sure the reporter is.",
   "assets.screenshot": "A picture of the asset.",
   "assets.screenshot.takenBy": "Who took the picture.",
   "assets.screenshot.url": "The address of the picture.",
   "assets.status": "The status that the asset should have; `BLOCKED` by default.",
   "attachmentUrls": "The addresses that `attachments.upload` returned.",
   "contactInfo": "How to reach the reporter.",
   "description": "The description of the report.",
   "discordGuildId": "The Discord server that the report comes from; it names the organization.",
   "externalReporter": "Who reported it on another platform.",
   "externalReporter.avatarUrl": "The address of its picture.",
   "externalReporter.displayName": "The name on that platform.",
   "externalReporter.platform": "The platform.",
   "externalReporter.platformIdentifier": "The reporter's id on the platform.",
   "externalSubmissionLink": "The address of the submission elsewhere.",
   "organizationSlug": "The organization, by its slug.",
   "rawAssetsInput": "The text that the reporter typed.",
   "referrer": "The page that the reporter came from.",
   "telegramGroupId": "The Telegram group that the report comes from; it names the organization.",
   "title": "The title of the report.",
   "userAgent": "The browser of the reporter."
  },
  "output": {
   "createdAt": "When it was created, in ISO 8601.",
   "id": "The id of the report.",
   "organization": "The organization of the report.",
   "organization.id": "The id.",
   "organization.name": "The name.",
   "organization.slug": "Its slug, which names it in other calls."
  }
 },
 "reports.list": {
  "input": {
   "assetTypes": "Only reports of assets of these types.",
   "brandIds": "Only reports about these brands, by their ids.",
   "countryCodes": "Only reports of sites in these countries, by their codes of two letters.",
   "cursor": "Where the page starts; `null` for the first one.",
   "endDate": "Only reports created up to this time.",
   "excludeAutomation": "Leave out reports by automation.",
   "hasMxRecords": "Only reports of domains with, or without, mail servers.",
   "limit": "Items of one page.",
   "needsCustomerReview": "Only reports that await, or do not await, the organization's decision.",
   "onlyFavorited": "Only favorites.",
   "onlyRejected": "Only reports with a rejected proposal.",
   "registrars": "Only reports of domains of these registrars.",
   "reportedByCustomer": "Only reports by the organization itself, or only reports by others.",
   "reporterKind": "Only reports by people, or by automation.",
   "reporterQuery": "Only reports by a reporter whose name contains this text.",
   "reviewStatuses": "Only reports with one of these reviews.",
   "reviewedByUserId": "Only reports that this user reviewed.",
   "reviewerKind": "Only reports that were reviewed by people, or by automation.",
   "searchQuery": "Only reports that contain this text.",
   "slug": "The organization, by its slug.",
   "sources": "Only reports from these sources.",
   "startDate": "Only reports created from this time on.",
   "status": "Only reports with this status.",
   "threatActorIds": "Only reports of these threat actors, by their ids.",
   "updatedAtEndDate": "Only reports changed up to this time.",
   "updatedAtStartDate": "Only reports changed from this time on."
  },
  "output": {
   "cursor": "`nextCursor`, in older documentation.",
   "nextCursor": "Where the next page starts; `null` or absent on the last one.",
   "reports": "The reports.",
   "reports.assets": "The assets, in older documentation. The fields of an entry are not published.",
   "reports.attachments": "The attached files.",
   "reports.attachments.id": "The id.",
   "reports.attachments.url": "The address.",
   "reports.createdAt": "When it was created, in ISO 8601.",
   "reports.description": "The description.",
   "reports.duplicateOfId": "The report that this one duplicates, by its id.",
   "reports.externalReporter": "Who reported it on another platform.",
   "reports.externalReporter.avatarUrl": "The address of its picture.",
   "reports.externalReporter.displayName": "The name on that platform.",
   "reports.externalReporter.id": "The id.",
   "reports.externalReporter.platform": "The platform.",
   "reports.externalSubmissionLink": "The address of the submission elsewhere.",
   "reports.favoritedAt": "When it became a favorite, in ISO 8601; `null` if it is not one.",
   "reports.id": "The id.",
   "reports.imageDisplay": "Whether images are shown, blurred or hidden.",
   "reports.proposals": "One proposal for each asset.",
   "reports.proposals.asset": "The asset.",
   "reports.proposals.asset.content": "The asset as text, such as a link or an address.",
   "reports.proposals.asset.id": "The id.",
   "reports.proposals.asset.scans": "The scans of the asset.",
   "reports.proposals.asset.scans.createdAt": "When it was created, in ISO 8601.",
   "reports.proposals.asset.scans.enrichments": "Data that was gathered about the asset.",
   "reports.proposals.asset.scans.enrichments.id": "The id.",
   "reports.proposals.asset.scans.enrichments.output": "The data. Its shape is not published.",
   "reports.proposals.asset.scans.enrichments.status": "How far the gathering of this data is.",
   "reports.proposals.asset.scans.enrichments.type": "The kind of data.",
   "reports.proposals.asset.scans.id": "The id.",
   "reports.proposals.asset.scans.output": "The result. Its shape is not published.",
   "reports.proposals.asset.scans.status": "How far the scan is.",
   "reports.proposals.asset.status": "Whether it is blocked, allowed or unknown.",
   "reports.proposals.asset.type": "The type of asset.",
   "reports.proposals.id": "The id.",
   "reports.proposals.reviewStatus": "What was decided about the proposal.",
   "reports.reportedByCustomer": "Whether the organization itself reported it.",
   "reports.reporter": "Who reported it.",
   "reports.reporter.avatarUrl": "The address of its picture.",
   "reports.reporter.fullName": "The full name.",
   "reports.reporter.id": "The id.",
   "reports.reporter.role": "The role.",
   "reports.slaDueAt": "When the promised response time ends, in ISO 8601.",
   "reports.source": "Where it comes from.",
   "reports.sourceMetadata": "What the source adds. Its shape is not published.",
   "reports.status": "How far the review is; `null` until the first review.",
   "reports.threatActor": "The threat actor; `null` if unknown.",
   "reports.threatActor.id": "The id.",
   "reports.threatActor.name": "The name.",
   "reports.title": "The title.",
   "reports.updatedAt": "When it was last changed, in ISO 8601.",
   "totalCount": "How many there are on all pages."
  }
 },
 "reports.proposalsReview": {
  "input": {
   "assetId": "The asset, by its id.",
   "brandId": "The brand, by its id.",
   "decision": "What was decided.",
   "label": "The reason for a block.",
   "note": "A remark; `OTHER` needs one.",
   "proposalId": "The proposal, by its id.",
   "rejectReason": "Why it is rejected.",
   "slug": "The organization, by its slug.",
   "watchlistReason": "Why it goes on the watchlist."
  },
  "output": {
   "proposal": "The proposal after the review.",
   "proposal.asset": "The asset.",
   "proposal.asset.content": "The asset as text, such as a link or an address.",
   "proposal.asset.id": "The id.",
   "proposal.asset.status": "Whether it is blocked, allowed or unknown.",
   "proposal.asset.type": "The type of asset.",
   "proposal.id": "The id.",
   "proposal.reviewStatus": "What was decided about the proposal.",
   "review": "The review.",
   "review.brandId": "The brand, by its id; `null` without one.",
   "review.comment": "The reason and the note.",
   "review.createdAt": "When it was created, in ISO 8601.",
   "review.decision": "What was decided.",
   "review.id": "The id.",
   "review.label": "The reason for a block.",
   "watchlisted": "Whether the asset is on the watchlist now."
  }
 },
 "reports.search": {
  "input": {
   "assetContents": "The assets as text, such as links or addresses.",
   "limit": "The largest number of reports to return.",
   "reportedByCustomer": "Only reports by the organization itself, or only reports by others.",
   "slug": "The organization, by its slug."
  },
  "output": {
   "reports": "The reports.",
   "reports.assets": "The assets as text.",
   "reports.id": "The id.",
   "reports.status": "How far the review is.",
   "totalCount": "How many reports there are."
  }
 },
 "takedowns.list": {
  "input": {
   "assetType": "Only these asset types.",
   "assigneeIds": "Only takedowns of these people, by their ids.",
   "brandIds": "Only these brands, by their ids.",
   "endDate": "The last day of the range, which is included.",
   "hideAutomatedLivenessChecks": "Leave out takedowns with automated liveness checks.",
   "hideAutomatedTakedowns": "Leave out takedowns that automation handles.",
   "livenessStatus": "Only takedowns of sites in one of these states.",
   "next_page": "Where the page starts: the `next_page` of the page before it.",
   "per_page": "Items of one page.",
   "query": "Only what contains this text.",
   "slug": "The organization, by its slug.",
   "sorting": "The order of the items; the first key counts most.",
   "sorting.direction": "The direction.",
   "sorting.key": "What the items are sorted by.",
   "startDate": "The first day of the range.",
   "takedownStatus": "Only takedowns with one of these statuses."
  },
  "output": {
   "next_page": "Where the next page starts; `null` or absent on the last one.",
   "takedowns": "The takedowns.",
   "takedowns.asset": "The asset.",
   "takedowns.asset.blockedAt": "When it was blocked, in ISO 8601.",
   "takedowns.asset.content": "The asset as text, such as a link or an address.",
   "takedowns.asset.id": "The id.",
   "takedowns.asset.livenessStatus": "Whether the site answers; `null` if it was never checked.",
   "takedowns.asset.type": "The type of asset.",
   "takedowns.assignee": "Who handles it; `null` for no one.",
   "takedowns.assignee.fullName": "The full name.",
   "takedowns.assignee.id": "The id.",
   "takedowns.attachments": "The files that were sent with the takedown.",
   "takedowns.attachments.fileName": "The name under which the file was uploaded.",
   "takedowns.attachments.url": "Where the file is.",
   "takedowns.brand": "The brand; `null` without one.",
   "takedowns.brand.id": "The id.",
   "takedowns.brand.name": "The name.",
   "takedowns.brand.slug": "The slug of the brand.",
   "takedowns.createdAt": "When it was created, in ISO 8601.",
   "takedowns.domainRegistrar": "The registrar of the domain.",
   "takedowns.domainRegistrar.id": "The id.",
   "takedowns.domainRegistrar.name": "The name.",
   "takedowns.externalId": "The id at the provider.",
   "takedowns.hasFilingDelay": "Whether filing was delayed.",
   "takedowns.hasLivenessCheckDelay": "Whether the liveness check was delayed.",
   "takedowns.hostingProvider": "Who hosts the site.",
   "takedowns.hostingProvider.id": "The id.",
   "takedowns.hostingProvider.name": "The name.",
   "takedowns.id": "The id.",
   "takedowns.status": "How far the takedown is.",
   "takedowns.tldRegistrar": "The registrar of the top-level domain.",
   "takedowns.tldRegistrar.id": "The id.",
   "takedowns.tldRegistrar.name": "The name.",
   "takedowns.updatedAt": "When it was last changed, in ISO 8601."
  }
 },
 "webhooks.config": {
  "input": {
   "description": "A description of the webhook.",
   "events": "The events to send.",
   "slug": "The organization, by its slug.",
   "url": "Where events are sent; `https:` only."
  },
  "output": {
   "events": "The events that are sent.",
   "id": "The id of the webhook.",
   "secret": "The secret that signs deliveries. It is shown only here, so store it.",
   "url": "Where events are sent."
  }
 }
};
