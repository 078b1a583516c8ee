/** The value of a header: joined, as a list, or missing. */
export type WebhookHeaderValue = string | readonly string[] | undefined;

/**
 * The headers of any platform: a Fetch `Headers`, a `Map`, Node's `request.headers`, or pairs. Names are case-insensitive. Structural,
 * because bare engines have no such types.
 */
export type WebhookHeaders =
  | { forEach(visit: (value: string, name: string) => void): void }
  | Iterable<readonly [name: string, value: WebhookHeaderValue]>
  | { readonly [name: string]: WebhookHeaderValue };

/** The values of the wanted headers by lower-case name, in their order. */
export function headersOf(headers: WebhookHeaders, wanted: (name: string) => boolean): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  eachHeader(headers, (given, value) => {
    const name = given.toLowerCase();
    if (!wanted(name)) return;
    const values = found.get(name) ?? [];
    // A value of any other type did not come from HTTP headers.
    for (const text of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (typeof text === 'string') values.push(text);
    if (values.length > 0) found.set(name, values);
  });
  return found;
}

function eachHeader(headers: WebhookHeaders, visit: (name: string, value: unknown) => void): void {
  if (typeof headers !== 'object' || headers === null) throw new TypeError(shape);
  const { forEach, [Symbol.iterator]: iterator } = headers as { forEach?: unknown; [Symbol.iterator]?: unknown };
  if (typeof iterator === 'function') {
    for (const pair of headers as Iterable<unknown>) {
      // Node's `rawHeaders` is flat, not a list of pairs.
      if (!Array.isArray(pair) || typeof pair[0] !== 'string') throw new TypeError(shape);
      visit(pair[0], pair[1]);
    }
  } else if (typeof forEach === 'function') {
    (headers as { forEach(each: (value: unknown, name: unknown) => void): void }).forEach((value, name) => {
      if (typeof name !== 'string') throw new TypeError(shape);
      visit(name, value);
    });
  } else {
    for (const name of Object.keys(headers)) visit(name, (headers as Record<string, unknown>)[name]);
  }
}

const shape = "headers must be a Headers, Node's request.headers, a Map, or pairs of name and value";
