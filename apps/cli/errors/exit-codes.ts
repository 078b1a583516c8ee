/** The exit codes of the process. The numbers are API. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  authentication: 2,
  usage: 3,
  notFound: 4,
  forbidden: 5,
  /** A result, not a failure: at least one checked input is blocked. */
  blocked: 6,
  /** Part of the input could not be decided or read. */
  partial: 7,
  network: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
