import { nearestName } from '../../blocklist/sources/nearest-name.js';
import { refuse } from '../../core/errors.js';
import type { Tool } from './tool.js';

/** More names than tools exist. */
const maxNames = 500;

/**
 * The tools that a host sees. It narrows what a model is offered; it is not access control, which is the key's part.
 *
 * @param names Names of tools or groups: a list, or separated by commas. Blank means all
 * @param isReadOnly Leaves out every tool that writes, also one that is named
 * @throws PortcullisError `INVALID_INPUT` for an unknown name
 */
export function selectTools(tools: readonly Tool[], names: string | readonly string[] = '', isReadOnly = false): Tool[] {
  const wanted = (typeof names === 'string' ? names.split(',', maxNames + 1) : names).map((name) => name.trim()).filter(Boolean);
  if (wanted.length > maxNames) refuse(`tools has more than ${maxNames} names`);
  const groups = new Set(tools.map(({ group }) => group));
  const known = new Set(tools.map(({ description }) => description.name));
  for (const name of wanted) {
    if (known.has(name) || groups.has(name)) continue;
    const nearest = nearestName(name, [...known, ...groups]);
    refuse(`unknown tool ${JSON.stringify(name.slice(0, 60))}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`);
  }
  return tools.filter(
    ({ group, description }) =>
      (wanted.length === 0 || wanted.includes(group) || wanted.includes(description.name)) &&
      (!isReadOnly || description.annotations.readOnlyHint),
  );
}
