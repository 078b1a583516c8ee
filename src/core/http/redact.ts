/** Keeps secrets out of what leaves the client in errors and events. */

/** Shorter values of headers are no secrets, and would be found in every other word. */
const secretLengthMin = 8;

/** Characters of a message that are kept; nobody reads more. */
const textLengthMax = 2_000;

/** The text with each secret replaced, and not endless. */
export type Redact = (text: string) => string;

/** @param headers Names in lower case and values of all headers that are ours or the caller's, `x-api-key` among them. */
export function redactor(headers: Readonly<Record<string, string>>): Redact {
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    // Of `Bearer …`, the token alone is a secret too; and as JSON escapes it.
    [...new Set([value, JSON.stringify(value).slice(1, -1), ...value.split(/\s+/)])]
      .filter((secret) => secret.length >= (name === keyHeader ? 1 : secretLengthMin) && name !== 'accept')
      .map((secret) => [secret, name === keyHeader ? '[key]' : `[${name}]`] as const),
  );
  // The longest first: one may contain another.
  secrets.sort(([a], [b]) => b.length - a.length);
  // Cut last, so that no part of a secret stays behind.
  return (text) => secrets.reduce((rest, [secret, name]) => rest.split(secret).join(name), text).slice(0, textLengthMax);
}

/**
 * An error as its name, message, code and causes, and nothing else: libraries hang whole requests on their errors, headers included.
 */
export function plainCause(cause: unknown, redact: Redact, depth = 0): unknown {
  try {
    const { name, message, code, cause: inner } = Object(cause) as Record<string, unknown>;
    const plain = new Error(redact(String(message ?? cause)));
    plain.name = redact(String(name ?? 'Error'));
    if (code !== undefined) Object.assign(plain, { code: redact(String(code)) });
    // Deep enough for every library known; a circle ends too.
    if (inner !== undefined && depth < 4) plain.cause = plainCause(inner, redact, depth + 1);
    return plain;
  } catch {
    // A value that cannot be read says nothing.
    return undefined;
  }
}

export const keyHeader = 'x-api-key';
