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

/** More than any arguments have. The schemas of the official library recurse: at 1,500 levels they fail in a way that ends the process. */
const maxDepth = 100;
/** The largest list of a tool has 1,000 assets of seven fields. The checks of a million would take seconds. */
const maxValues = 30_000;

/** What is too much in a JSON text, without parsing it. */
export function extentProblem(text: string): string | undefined {
  let level = 0;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isInString) {
      if (letter === '\\') at++;
      else if (letter === '"') isInString = false;
      continue;
    }
    if (letter === '"') isInString = true;
    else if (letter === '}' || letter === ']') level--;
    else if (letter === '{' || letter === '[') level++;
    if (letter === ',' || letter === '{' || letter === '[') values++;
    if (level > maxDepth) return `has more than ${maxDepth} levels`;
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return undefined;
}
