import { timed } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** How long does it take to recognize one text? By kind of text, compared with `new URL` of a plain link. There is no budget. */
export const detect: Question = { name: 'detect', title: 'What one text is', groups, rows };

/** Reserved names, fictional numbers, and addresses from the documentation of the chains. */
const texts: Record<string, string> = {
  'plain link': 'https://www.example.com/a/b?c=d',
  'link on a platform': 'https://x.com/example_mint/status/1234567890123456789',
  'EVM address': '0x52908400098527886E0F7030069857D2E4169EE7',
  'Bitcoin, segwit': 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'Bitcoin, base58': '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  Solana: '11111111111111111111111111111111',
  TON: 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
  mailbox: 'someone@mail.example',
  'telephone number': '+1 202-555-0100',
  'ENS name': 'name.eth.limo',
  'a word': 'hello',
};

const rival = 'new URL(link)';

function groups(settings: Settings): Group[] {
  return Object.entries(texts).map(([name, text]) => ({
    name,
    variants: [
      { name: 'detectAssets', measure: async () => timeOf((await import('portcullis/assets')).detectAssets, text, settings) },
      { name: rival, measure: () => timeOf((link) => [new URL(link)], 'https://www.example.com/a/b?c=d', settings) },
    ],
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => compared(results, group, 'ns', 'ns'));
}

function timeOf(read: (text: string) => readonly unknown[], text: string, settings: Settings): Figures {
  const run = (from: number, to: number): number => {
    let found = 0;
    for (let index = from; index < to; index++) found += read(text).length;
    return found;
  };
  return timed({ count: 8_192, batch: 1_024, prepare: () => {}, run }, settings);
}
