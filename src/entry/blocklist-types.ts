export type { CheckedPiece, CheckTextOptions, TextVerdict } from '../blocklist/extras/check-text.js';
export type { ExplainedExpression, ExplainedList, Explanation } from '../blocklist/extras/explain.js';
export type { HandleWebhookOptions, ReceivedEvent } from '../blocklist/extras/handle-webhook.js';
export type { Screened, ScreenInputs, ScreenOptions, ScreenPool } from '../blocklist/extras/screen.js';
export type { BlocklistEvent, BlocklistEvents, SyncStep } from '../blocklist/model/blocklist-events.js';
export type { Blocklist, ListResult, SyncResult } from '../blocklist/model/blocklist-interface.js';
export type {
  CheckOptions,
  CommonOptions,
  ConfirmOptions,
  LoadingOptions,
  SourcesOptions,
  SyncOptions,
} from '../blocklist/model/blocklist-options.js';
export type { BlocklistStatus, ConfirmStatus, ListStatus, SourceStatus } from '../blocklist/model/blocklist-status.js';
export type { CalibrationResult, HeldIn } from '../blocklist/model/generation.js';
export type { Override, OverrideOptions } from '../blocklist/model/override-set.js';
export type { CheckedAsset, CheckInput } from '../blocklist/model/question.js';
export type { Source, SourceTerms } from '../blocklist/model/source.js';
export type { Store, StoreHead } from '../blocklist/model/store.js';
export type {
  Advisory,
  Policy,
  SourceFinding,
  Verdict,
  VerdictAction,
  VerdictReason,
  VerdictStatus,
} from '../blocklist/model/verdict.js';
export type { CachedAnswer } from '../blocklist/rules/judge-hit.js';
export type { SignalLike } from '../core/errors.js';
