import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { toHex, utf8 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { sha256 } from '../../core/hashing/sha256.js';
import type { Tool } from './tool.js';

/** What asks, of the official library. */
type Asking = Pick<typeof import('@modelcontextprotocol/server'), 'inputRequired' | 'inputResponse'>;

/** A call of a tool, and the connection that it came over. */
export interface AskedCall {
  readonly tool: Tool;
  readonly given: unknown;
  readonly protocol: Asking;
  readonly capabilities: ClientCapabilities | undefined;
  readonly mcpReq: ServerContext['mcpReq'];
}

/**
 * What happens before a call: the question that the host must put to its user first, or `null` if the tool may run.
 *
 * @throws PortcullisError `REJECTED` if the user did not agree, or cannot be asked
 */
export type WriteConsent = (call: AskedCall) => InputRequiredResult | null;

/** More than a person reads; a longer call must be split, because what is not shown is not agreed to. */
const maxShownChars = 4_000;
/** A file, or the text of a report. Of longer values the start and the length are shown. */
const maxShownValue = 500;

/** Asks the user of the host about each write. The answer is for this tool with these arguments only. */
export const askBeforeWrites: WriteConsent = ({ tool, given, protocol, capabilities, mcpReq }) => {
  const { name, description, annotations } = tool.description;
  if (annotations.readOnlyHint) return null;
  // The host repeats the call with its answers, so an answer must name the call that it is for.
  const key = `confirm-${toHex(sha256(utf8(JSON.stringify([name, given]))))}`;
  const answer = protocol.inputResponse(mcpReq.inputResponses, key);
  if (answer.kind === 'elicit') {
    if (answer.action === 'accept' && answer.content?.['confirm'] === true) return null;
    throw new PortcullisError('REJECTED', 'the user did not agree to this call');
  }
  if (capabilities?.elicitation === undefined) {
    throw new PortcullisError('REJECTED', 'this server asks the user before each write, and this host cannot ask them');
  }
  const shown = shownArguments(given);
  if (shown.length > maxShownChars) {
    throw new PortcullisError('REJECTED', 'the arguments are too long to be shown to the user; send fewer items at once');
  }
  return protocol.inputRequired({
    inputRequests: {
      [key]: protocol.inputRequired.elicit({
        message: `${name} ${shown}\n${description}`,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: `Run ${name} with exactly these arguments` } },
          required: ['confirm'],
        },
      }),
    },
  });
};

/** Over HTTP nothing is kept between requests, and the user behind one may be anybody. */
export const refuseWrites: WriteConsent = ({ tool }) => {
  if (tool.description.annotations.readOnlyHint) return null;
  throw new PortcullisError('REJECTED', 'this server asks the user before each write, which it cannot do over HTTP');
};

export const letWrite: WriteConsent = () => null;

/** Characters that reorder or hide others are escaped. */
function shownArguments(given: unknown): string {
  const cut = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string' || value.length <= maxShownValue) return value;
    return `${value.slice(0, maxShownValue)}… (${value.length} characters)`;
  };
  const escaped = (letter: string): string => `\\u{${letter.codePointAt(0)!.toString(16)}}`;
  return JSON.stringify(given, cut, 1).replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}
