import type { ClientCapabilities, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { toHex, utf8 } from '../../core/bytes.js';
import { isRecord, PortcullisError } from '../../core/errors.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { replaceHidden, replaceTowers } from '../../core/visible-text.js';
import type { Tool } from './tool.js';
import type { Json } from './tool-json.js';

/** What asks, of the official library. */
type Asking = Pick<typeof import('@modelcontextprotocol/server'), 'inputRequired' | 'inputResponse'>;

/** A call of a tool, and the connection that it came over. */
export interface AskedCall {
  readonly tool: Tool;
  readonly input: Json;
  readonly protocol: Asking;
  readonly capabilities: ClientCapabilities | undefined;
  readonly mcpReq: ServerContext['mcpReq'];
}

/**
 * What happens before a call: the question that the host must put to its user first, or `null` if the tool may run.
 *
 * @throws PortcullisError `REJECTED` if the user did not agree, or cannot be asked
 */
export type WriteConsent = (call: AskedCall) => InputRequiredResult | null | Promise<null>;

/** More than a person reads; a longer call must be split, because what is not shown is not agreed to. */
const maxShownChars = 4_000;
/** Questions without an answer; the oldest are dropped. */
const maxQuestions = 100;

/** Asks the user of the host about each write. An answer is for one run of this tool with these arguments only. */
export function askBeforeWrites(): WriteConsent {
  /** The calls that were asked about, by a key that nobody can guess. */
  const asked = new Map<string, { readonly call: string; readonly askedMs: number }>();
  return ({ tool, input, protocol, capabilities, mcpReq }) => {
    const { name, description, annotations } = tool.description;
    if (annotations.readOnlyHint) return null;
    const call = toHex(sha256(utf8(JSON.stringify([name, input]))));
    // The host repeats the call with its answers, by the keys of the questions.
    for (const key of Object.keys(mcpReq.inputResponses ?? {})) {
      const question = asked.get(key);
      if (question?.call !== call || Date.now() - question.askedMs > answerMs) continue;
      asked.delete(key);
      const answer = protocol.inputResponse(mcpReq.inputResponses, key);
      if (answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.['confirm'] === true) return null;
      throw notAgreed();
    }
    if (!canAsk(capabilities)) {
      throw new PortcullisError('REJECTED', 'this server asks the user before each write, and this host cannot ask them');
    }
    const shown = shownArguments(tool.shown?.(input) ?? input);
    if (shown.length > maxShownChars) {
      throw new PortcullisError('REJECTED', 'the arguments are too long to be shown to the user; send fewer items at once');
    }
    const question = {
      // Some hosts show Markdown, in which a comment or a link would hide a part. No line of JSON ends the fence.
      message: [name, '```json', shown, '```', description].join('\n'),
      requestedSchema: {
        type: 'object' as const,
        properties: { confirm: { type: 'boolean' as const, title: `Run ${name} with exactly these arguments` } },
        required: ['confirm'],
      },
    };
    // Before the newest revision, the question is a request within the call.
    if (mcpReq.envelope === undefined) return askNow(mcpReq, question);
    const key = `confirm-${toHex(crypto.getRandomValues(new Uint8Array(16)))}`;
    asked.set(key, { call, askedMs: Date.now() });
    for (const [oldest] of asked) if (asked.size > maxQuestions) asked.delete(oldest);
    return protocol.inputRequired({ inputRequests: { [key]: protocol.inputRequired.elicit(question) } });
  };
}

/** A person reads the question, and may be away for a moment. */
const answerMs = 600_000;

type Question = Parameters<ServerContext['mcpReq']['elicitInput']>[0];

async function askNow(mcpReq: ServerContext['mcpReq'], question: Question): Promise<null> {
  const { signal } = mcpReq;
  const { action, content } = await mcpReq.elicitInput(question, { signal, timeout: answerMs }).catch((): never => {
    // What the host said is not repeated: it may be long, or a dump of the library.
    throw new PortcullisError('REJECTED', 'the host did not answer the question about this call');
  });
  if (action === 'accept' && content?.['confirm'] === true) return null;
  throw notAgreed();
}

/** A host that does not mention forms supports them. */
const canAsk = (capabilities: ClientCapabilities | undefined): boolean => {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

const notAgreed = (): PortcullisError => new PortcullisError('REJECTED', 'the user did not agree to this call');

/** Over HTTP nothing is kept between requests, and the user behind one may be anybody. */
export const refuseWrites: WriteConsent = ({ tool }) => {
  if (tool.description.annotations.readOnlyHint) return null;
  throw new PortcullisError('REJECTED', 'this server asks the user before each write, which it cannot do over HTTP');
};

export const letWrite: WriteConsent = () => null;

/** Nothing may hide: characters without a shape and controls are escaped, and many spaces in a row counted. */
function shownArguments(input: unknown): string {
  const counted = (text: string): string => text.replace(/\s{3,}/g, ({ length }) => `[${length} spaces]`);
  const visible = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return counted(value);
    // Two names may not look alike either.
    if (isRecord(value) && Object.keys(value).some((name) => name !== counted(name))) {
      throw new PortcullisError('REJECTED', 'a field has many spaces in its name, so it cannot be shown to the user');
    }
    return value;
  };
  const escaped = (letter: string): string =>
    letter === '\n' || letter === ' ' ? letter : `\\u{${letter.codePointAt(0)!.toString(16)}}`;
  return replaceTowers(replaceHidden(JSON.stringify(input, visible, 1), escaped), (marks) => Array.from(marks, escaped).join(''));
}
