import { links, TextPool } from './inputs.js';
import { timed } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';
import { type LinkifyOptions, linkifier } from './rivals.js';

/** How long does it take to find the links in messages? Ours also parses each link into its assets. */
export const find: Question = { name: 'find', title: 'Links in messages, by the character', groups, rows };

/** Counts the links in a text. */
type Count = (text: string) => number;

const messageCount = 512;

const ours = 'findAssets';
const linkify = 'linkify-it';
/** With its default options, which ignore links without a scheme. */
const linkifySchemes = 'linkify-it, links with a scheme alone';

const finders: Record<string, () => Count | Promise<Count>> = {
  [ours]: async () => {
    const { findAssets } = await import('portcullis/assets');
    return (text) => findAssets(text).length;
  },
  [linkify]: () => countLinkified({ fuzzyLink: true }),
  [linkifySchemes]: () => countLinkified({}),
};

/** All variants find the same links: the texts have no addresses, no numbers, and only hosts whose suffix linkify-it knows. */
const shapes: readonly { name: string; texts: () => string[]; variants: readonly string[] }[] = [
  { name: 'prose without a link', texts: () => messages(() => ''), variants: [ours, linkify, linkifySchemes] },
  { name: 'a link in 400 characters', texts: messagesWithLinks, variants: [ours, linkify, linkifySchemes] },
  {
    name: 'a host and a mailbox in 400 characters',
    texts: () => messages((index) => `See www.shop-${index}.com or write to help-${index}@example.com. `),
    variants: [ours, linkify],
  },
];

function groups(settings: Settings): Group[] {
  return shapes.map(({ name, texts, variants }) => ({
    name,
    sameAnswer: true,
    variants: variants.map((variant) => ({
      name: variant,
      measure: async () => timeFinding((await finders[variant]?.()) ?? (() => Number.NaN), texts(), settings),
    })),
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => compared(results, group, 'ns', 'ns', { [linkify]: { ratio: 1, limit: '≤ 1 ×' } }));
}

function timeFinding(count: Count, texts: string[], settings: Settings): Figures {
  const pool = new TextPool(texts);
  const batch: string[] = [];
  const run = (from: number, to: number): number => {
    let pieces = 0;
    for (let index = 0; index < to - from; index++) pieces += count(batch[index] ?? '');
    return pieces;
  };
  const { ns = Number.NaN, ...figures } = timed(
    { count: pool.count, batch: 64, prepare: (from, to) => pool.fill(batch, from, to), run },
    settings,
  );
  return { ...figures, ns: (ns * texts.length) / texts.join('').length };
}

function countLinkified(options: LinkifyOptions): Count {
  const linkify = linkifier(options);
  return (text) => linkify.match(text)?.length ?? 0;
}

function messagesWithLinks(): string[] {
  const all = links(messageCount);
  return messages((index) => `Details: ${all[index]} (valid until Friday). `);
}

/** Different messages, so that no cache helps, each with the result of `insert` in the middle. */
function messages(insert: (index: number) => string): string[] {
  return Array.from({ length: messageCount }, (_, index) => {
    const sentences = prose.map((sentence, at) => prose[(at * 3 + index) % prose.length] ?? sentence);
    return [...sentences.slice(0, 3), insert(index), ...sentences.slice(3)].join('');
  });
}

const prose = [
  'Hi all, the numbers of the last quarter are in, and they look good (see the attached sheet). ',
  'The call is at 10:30 in room 4.12; whoever cannot come, please say so by Friday! ',
  'Version 2.1.0 fixes what was reported, e.g. the crash on start-up. ',
  "I'll be there, and I'd bring the others as well - unless it rains... ",
  'Thanks a lot, and have a nice weekend. ',
];
