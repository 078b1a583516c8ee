/** `undefined` for a text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` for a text that is not a JSON object. */
export function jsonObjectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
