import type { AssetRecord, DetectionRecord } from '../state/state.js';
import { distanceOf, round2 } from './numbers.js';

/**
 * Where detections come from. Simulated: a source does not look at the world but at the assets this service was given and nobody has
 * decided on, in the way its namesake would.
 */
export interface DetectionSource {
  readonly key: string;
  readonly description: string;
  /** What it can find; `null`: any type. */
  readonly assetTypes: readonly string[] | null;
  /** The one setting it has: a list of texts. */
  readonly setting: 'terms' | 'domains';
  readonly defaultCron: string;
  readonly find: (asset: AssetRecord, texts: readonly string[]) => Find | null;
}

export type Find = Pick<DetectionRecord, 'confidence' | 'score' | 'reason'>;

/** A shorter text is in too many names to say anything. */
const textLengthMin = 3;
/** No domain is longer. */
const textLengthMax = 253;
const textsMax = 100;

export const detectionSources: readonly DetectionSource[] = [
  {
    key: 'ASSET_CHECK',
    description: 'Assets of any type that hold a term.',
    assetTypes: null,
    setting: 'terms',
    defaultCron: '0 * * * *',
    find: ({ content }, terms) => termIn(content, terms),
  },
  {
    key: 'CERTSTREAM',
    description: 'Domains that hold a term.',
    assetTypes: ['URL'],
    setting: 'terms',
    defaultCron: '0 * * * *',
    find: ({ content }, terms) => termIn(content, terms),
  },
  {
    key: 'URLSCAN',
    description: 'Domains and pages that hold a term, in the path too.',
    assetTypes: ['URL', 'PAGE'],
    setting: 'terms',
    defaultCron: '0 */6 * * *',
    find: ({ content }, terms) => termIn(content, terms),
  },
  {
    key: 'DNS_TWIST',
    description: 'Domains that are spelled almost like one of the given.',
    assetTypes: ['URL'],
    setting: 'domains',
    defaultCron: '0 0 * * *',
    find: ({ content }, domains) => twistOf(content, domains),
  },
];

/** Also in lower case, as the service's own samples have it. */
export function sourceNamed(key: string): DetectionSource | undefined {
  return detectionSources.find((source) => source.key === key.toUpperCase());
}

/** The JSON Schema of a source's settings. `{}` is fine: the organization's own names are then taken. */
export function configSchemaOf({ setting }: DetectionSource): object {
  const items = { type: 'string', minLength: textLengthMin, maxLength: textLengthMax };
  return {
    type: 'object',
    properties: { [setting]: { type: 'array', items, minItems: 1, maxItems: textsMax } },
    additionalProperties: false,
  };
}

/** What is wrong with settings, by the schema above; `null` where nothing is. */
export function faultIn({ setting }: DetectionSource, config: Readonly<Record<string, unknown>>): string | null {
  const other = Object.keys(config).find((name) => name !== setting);
  if (other !== undefined) return `config.${other} is no field here`;
  const texts = config[setting];
  if (texts === undefined) return null;
  const fine =
    Array.isArray(texts) &&
    texts.length > 0 &&
    texts.length <= textsMax &&
    texts.every((text) => typeof text === 'string' && text.length >= textLengthMin && text.length <= textLengthMax);
  return fine ? null : `config.${setting} must be 1 to ${textsMax} texts of ${textLengthMin} to ${textLengthMax} characters`;
}

/** The longest term that is there. A word of its own says more than a part of one, and a host more than a path. */
function termIn(content: string, terms: readonly string[]): Find | null {
  const text = content.toLowerCase();
  const found = terms.map((term) => term.toLowerCase()).filter((term) => text.includes(term));
  const [term] = found.sort((a, b) => b.length - a.length);
  if (term === undefined) return null;
  const slash = text.indexOf('/');
  const host = slash < 0 ? text : text.slice(0, slash);
  const confidence = !host.includes(term) ? 'low' : isWordIn(host, term) ? 'high' : 'medium';
  return { confidence, score: round2(term.length / text.length), reason: `It holds the term ${term}.` };
}

function isWordIn(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + term.length])) return true;
  }
  return false;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Two slips of the hand in a long name, one in a short one. The same name under another ending counts as none. */
function twistOf(content: string, domains: readonly string[]): Find | null {
  let best: Find | null = null;
  for (const domain of domains.map((text) => text.toLowerCase())) {
    if (content === domain || content.endsWith(`.${domain}`)) continue;
    const name = domain.split('.')[0]!;
    for (const label of content.split('.').slice(0, -1)) {
      const distance = distanceOf(label, name);
      if (distance > (name.length < 8 ? 1 : 2)) continue;
      const score = round2(1 - distance / Math.max(label.length, name.length));
      if (best !== null && best.score >= score) continue;
      const confidence = distance === 0 ? 'high' : distance === 1 ? 'medium' : 'low';
      best = {
        confidence,
        score,
        reason: `${label} is ${distance === 0 ? 'the name' : `${distance} off the name`} of ${domain}.`,
      };
    }
  }
  return best;
}
