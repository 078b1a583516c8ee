/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** `undefined` for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
