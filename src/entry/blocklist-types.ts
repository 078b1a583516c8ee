export type { ConfirmOptions } from '../blocklist/ask/confirmer.js';
export type { BlocklistEvent, BlocklistEvents } from '../blocklist/checks/blocklist-events.js';
export type {
  Blocklist,
  CheckOptions,
  SyncOptions,
  SyncResult,
} from '../blocklist/checks/blocklist-interface.js';
export type { CommonOptions, SourcesOptions } from '../blocklist/checks/blocklist-options.js';
export type { BlocklistStatus, ConfirmStatus, ListStatus, SourceStatus } from '../blocklist/checks/blocklist-status.js';
export type { CheckedPiece, CheckTextOptions, TextVerdict } from '../blocklist/checks/check-text.js';
export type { ExplainedExpression, ExplainedList, Explanation } from '../blocklist/checks/explain.js';
export type { HandleWebhookOptions, ReceivedEvent } from '../blocklist/checks/handle-webhook.js';
export type { OverrideOptions } from '../blocklist/checks/kept-overrides.js';
export type { CheckedAsset, CheckInput, LoadingOptions } from '../blocklist/checks/question.js';
export type { Screened, ScreenInputs, ScreenOptions, ScreenPool } from '../blocklist/checks/screen.js';
export type { CalibrationResult, HeldIn } from '../blocklist/generation.js';
export type { Override } from '../blocklist/override-set.js';
export type { CachedAnswer } from '../blocklist/rules/judge-hit.js';
export type { Source } from '../blocklist/source.js';
export type { Store, StoreHead } from '../blocklist/store.js';
export type { ListResult } from '../blocklist/sync/list-sync.js';
export type { SyncStep } from '../blocklist/sync/round.js';
export type { Policy, SourceFinding, Verdict, VerdictAction, VerdictReason, VerdictStatus } from '../blocklist/verdict.js';
export type { SignalLike } from '../core/errors.js';
