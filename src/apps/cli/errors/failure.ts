import { isPortcullisError } from '../../../core/errors.js';
import { printable } from '../terminal/terminal.js';
import { exitCodeOf, exitCodes } from './exit.js';
import { UsageError } from './usage.js';

/** What went wrong, as `--json` prints it. */
export interface Failure {
  readonly error: {
    /** One of docs/errors.md, `USAGE` and the like of the command line, or `UNEXPECTED`. */
    readonly code: string;
    readonly message: string;
    /** What to do about it. */
    readonly next?: string;
    readonly status?: number;
    readonly operation?: string;
    readonly issues?: readonly unknown[];
    readonly assets?: readonly unknown[];
    readonly retryAfterMs?: number;
  };
  readonly exitCode: number;
}

const nextByExit: Readonly<Record<number, string>> = {
  [exitCodes.authentication]: 'set PORTCULLIS_API_KEY, or store a key with: portcullis login',
  [exitCodes.forbidden]: 'the key is valid and may not do this; whoami shows whose it is',
  [exitCodes.network]: 'see what answers with: portcullis doctor',
};

export function failureOf(error: unknown): Failure {
  const exitCode = exitCodeOf(error);
  if (error instanceof UsageError)
    return { error: { code: error.code, message: error.message, ...(error.next && { next: error.next }) }, exitCode };
  if (!isPortcullisError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: systemCodeOf(error) ?? 'UNEXPECTED', message }, exitCode };
  }
  const { code, status, operation, issues, assets, retryAfterMs } = error;
  const next = portNext(error) ?? nextByExit[exitCode];
  const message = code === 'INVALID_INPUT' ? inOptions(error.message) : error.message;
  return {
    error: {
      code,
      message,
      ...(next && { next }),
      ...(status !== undefined && { status }),
      ...(operation !== undefined && { operation }),
      ...(issues && { issues }),
      ...(assets && { assets }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    exitCode,
  };
}

/** What to do about an address nobody can listen on. */
function portNext({ cause }: Error): string | undefined {
  const { syscall, code } = Object(cause) as { syscall?: unknown; code?: unknown };
  if (syscall !== 'listen') return undefined;
  return `${code === 'EADDRINUSE' ? 'the port is in use: ' : ''}choose another with --port; 0 is any that is free`;
}

/** Words of the library in those of the command line, which has options for them, or has none. */
function inOptions(message: string): string {
  return message
    .replace(/^(baseUrl|url) /, 'the address ')
    .replace(/^publicUrl /, '--public-url ')
    .replace('; use https, or allowInsecureHttp', '; use https')
    .replace(': see allowInsecureHttp', '; use https');
}

/** `ENOENT` and its like. */
function systemCodeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : undefined;
}

/** For a person: what, where, what to do. */
export function failureText({ error }: Failure): string {
  const issues = (error.issues ?? []).map((issue) => {
    const { path, message } = issue as { path: string; message: string };
    return `  ${path}: ${message}`;
  });
  const assets = (error.assets ?? []).map((asset) => {
    const { asset: name, message, suggestion } = asset as { asset: string; message: string; suggestion: string };
    return `  ${name}: ${message}${suggestion ? ` (${suggestion})` : ''}`;
  });
  return [
    `${error.message}${error.code === 'USAGE' ? '' : ` [${error.code}]`}`,
    ...issues,
    ...assets,
    ...(error.next ? [`  ${error.next}`] : []),
  ]
    .map(printable)
    .join('\n');
}
