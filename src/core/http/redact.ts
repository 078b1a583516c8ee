/** Keeps secrets out of the errors and events of a client. */

import { known, PortcullisError } from '../errors.js';

/** Shorter header values are not secrets, and occur in ordinary words. */
export const minSecretLength = 8;

/** Characters of a message that are kept. */
const maxTextLength = 2_000;

/** Replaces each secret in a text, and cuts the text to a readable length. */
export type Redact = (text: string) => string;

/** @param headers All headers that were sent, `x-api-key` among them, by lower-case name. */
export function redactor(headers: Readonly<Record<string, string>>): Redact {
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    // Also escaped as in JSON or a URL, and the token of `Bearer …` alone.
    [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...value.split(/\s+/)])]
      .filter((secret) => secret.length >= (isKeyHeader(name) ? 1 : minSecretLength) && name !== 'accept')
      .map((secret) => [secret, isKeyHeader(name) ? '[key]' : `[${name}]`] as const),
  );
  // Longest first, because one may contain another.
  secrets.sort(([a], [b]) => b.length - a.length);
  // Cut last, because half a secret would not be found.
  return (text) => secrets.reduce((rest, [secret, name]) => rest.split(secret).join(name), text).slice(0, maxTextLength);
}

/**
 * A copy of an error with its name, message, code and causes only (of several errors, the first): libraries attach whole requests to their errors, headers included.
 */
export function plainCause(cause: unknown, redact: Redact, depth = 0): unknown {
  try {
    const {
      name,
      message,
      code,
      errors,
      cause: inner = (errors as unknown[] | undefined)?.[0],
    } = Object(cause) as Record<string, unknown>;
    const plain = new Error(redact(String(message ?? cause)));
    plain.name = redact(String(name ?? 'Error'));
    if (code !== undefined) Object.assign(plain, { code: redact(String(code)) });
    // The limit ends a cycle of causes.
    if (inner !== undefined && depth < 4) plain.cause = plainCause(inner, redact, depth + 1);
    return plain;
  } catch {
    // Its getters throw.
    return undefined;
  }
}

/**
 * A copy of the error without secrets, and without the problems of an input or a response: services and libraries repeat what they were sent. The cause stays as it is if the caller's own
 * signal, file or key function threw it.
 */
export function withoutSecrets(
  { code, message, status, retryAfterMs, cause }: PortcullisError,
  headers: Readonly<Record<string, string>>,
  operation?: string,
): PortcullisError {
  const redact = redactor(headers);
  const isCallers = /^(ABORTED|INVALID_INPUT|KEY_UNAVAILABLE)$/.test(code);
  const details = known({
    operation,
    status,
    retryAfterMs,
    cause: cause === undefined || isCallers ? cause : plainCause(cause, redact),
  });
  return new PortcullisError(code, redact(message), details);
}

export const keyHeader = 'x-api-key';

function isKeyHeader(name: string): boolean {
  return name.endsWith('api-key');
}
