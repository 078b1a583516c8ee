import { refuse } from '../../core/errors.js';
import { noSuch } from '../../core/options/nearest-name.js';
import { localTools } from './local-tools.js';
import { isUnpublished, operationTools } from './operation-tools.js';
import type { Tool } from './tool.js';
import { promptsFor, type ToolPrompt } from './tool-prompts.js';
import { type ToolResource, toolResources } from './tool-resources.js';
import type { ToolServerSettings } from './tool-server-options.js';
import { askBeforeWrites, letWrite, refuseWrites, type WriteConsent } from './write-consent.js';

/** What a host sees, and what happens before a call. */
export interface Offer {
  readonly tools: readonly Tool[];
  readonly resources: readonly ToolResource[];
  readonly prompts: readonly ToolPrompt[];
  readonly maxResultChars: number;
  readonly consent: WriteConsent;
}

/** What is offered to the host of one connection, and over HTTP. */
export function offersOf(settings: ToolServerSettings): { readonly connected: Offer; readonly http: Offer } {
  const { client, clientFor, blocklist, paths, confirmWrites, maxResultChars } = settings;
  const all = [
    ...(blocklist === undefined ? [] : localTools(blocklist)),
    ...(client === undefined && clientFor === undefined ? [] : operationTools(paths)),
  ];
  const tools = selectTools(all, settings.tools, settings.readOnly);
  const offerOf = (offered: readonly Tool[], consent: WriteConsent): Offer => ({
    tools: offered,
    consent: confirmWrites ? consent : letWrite,
    resources: offered.length > 0 ? toolResources : [],
    prompts: promptsFor(new Set(offered.map(({ description }) => description.name))),
    maxResultChars,
  });
  // `client` holds the operator's key, and a request over HTTP comes from another user.
  const httpTools = clientFor === undefined ? tools.filter(({ group }) => group === 'local') : tools;
  return { connected: offerOf(tools, askBeforeWrites()), http: offerOf(httpTools, refuseWrites) };
}

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
  if (wanted.length > maxNames) refuse(`createToolServer: tools must have at most ${maxNames} names`);
  const groups = new Set(tools.map(({ group }) => group));
  const known = new Set(tools.map(({ description }) => description.name));
  for (const name of wanted) {
    if (known.has(name) || groups.has(name)) continue;
    if (isUnpublished(name))
      refuse(`createToolServer: the route of ${name} is not published; pass the client's in the option paths`);
    refuse(`createToolServer: ${noSuch('tool', name, [...known, ...groups])}`);
  }
  return tools.filter(
    ({ group, description }) =>
      (wanted.length === 0 || wanted.includes(group) || wanted.includes(description.name)) &&
      (!isReadOnly || description.annotations.readOnlyHint),
  );
}
