/** What the conformance suite expects and the tool server does not do. The suite also fails when one of these passes. */
interface ExpectedFailure {
  readonly why: string;
  /** Under one revision only. */
  readonly revision?: string;
  /** Scenarios, or single checks of one: `scenario:check`. */
  readonly entries: readonly string[];
}

const sameName = (names: string): string[] => names.split(/\s+/).map((name) => `${name}:${name}`);

export const expectedFailures: readonly ExpectedFailure[] = [
  {
    why: 'The suite calls tools, resources and prompts of its own. They are offered where they only have text; the others need what no tool of the server does.',
    entries: [
      ...sameName(
        `tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-progress
        resources-read-binary resources-templates-read prompts-get-embedded-resource prompts-get-with-image`,
      ),
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
      'server-stateless:sep-2575-missing-capability-http-400',
      'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
      'server-stateless:sep-2575-server-no-log-without-loglevel',
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
      'input-required-result-missing-input-response',
      'input-required-result-ignore-extra-params',
      'http-custom-header-server-validation',
      'tools-call-with-logging',
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
  },
  {
    why: 'Optional features that the server does not declare: tasks, completion of arguments, log levels, subscriptions to resources.',
    entries: [
      'tasks-lifecycle',
      'tasks-capability-negotiation',
      'tasks-wire-fields',
      'tasks-request-state-removal',
      'tasks-mrtr-input',
      'tasks-request-headers',
      'tasks-dispatch-and-envelope',
      'tasks-required-task-error',
      'tasks-mrtr-composition',
      'completion-complete:completion-complete',
      'logging-set-level',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
  },
  {
    why: 'Answers are plain JSON without sessions, so this revision has no event streams to check.',
    revision: '2025-11-25',
    entries: ['server-sse-multiple-streams'],
  },
];

/** The file that the suite reads, for one revision. */
export function baselineFor(revision: string): string {
  const entries = expectedFailures.filter((one) => (one.revision ?? revision) === revision).flatMap((one) => one.entries);
  return `server:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
}
