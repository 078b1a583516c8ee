import { escapedLinks, idnLinks, plainLinks, TextPool } from './inputs.js';
import { timed } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** How long does it take to canonicalize a link? There is no budget. */
export const canonical: Question = { name: 'canonical', title: 'The canonical spelling of a link', groups, rows };

type Spell = (text: string) => string | null;

const textCount = 8_192;

const spellings: Record<string, () => Spell | Promise<Spell>> = {
  canonicalizeUrl: async () => (await import('portcullis/assets')).canonicalizeUrl,
  'new URL(text).href': () => (text) => new URL(text).href,
};

const shapes: Record<string, () => string[]> = {
  'plain link': () => plainLinks(textCount),
  'link with escapes': () => escapedLinks(textCount),
  'link with a host outside ASCII': () => idnLinks(textCount),
};

function groups(settings: Settings): Group[] {
  return Object.entries(shapes).map(([name, texts]) => ({
    name,
    variants: Object.entries(spellings).map(([variant, load]) => ({
      name: variant,
      measure: async () => timeSpelling(await load(), new TextPool(texts()), settings),
    })),
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => compared(results, group, 'ns', 'ns'));
}

function timeSpelling(spell: Spell, pool: TextPool, settings: Settings): Figures {
  const batch: string[] = [];
  const run = (from: number, to: number): number => {
    let length = 0;
    for (let index = 0; index < to - from; index++) length += spell(batch[index] ?? '')?.length ?? Number.NaN;
    return length;
  };
  return timed({ count: pool.count, batch: 1_024, prepare: (from, to) => pool.fill(batch, from, to), run }, settings);
}
