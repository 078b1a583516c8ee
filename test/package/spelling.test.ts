import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** British spellings, each as a pattern for a word and its derived forms. */
const british = [
  'analys(e|ed|er|es|ing)',
  'artefacts?',
  'authoris\\w+',
  'behaviour\\w*',
  'cancelable',
  'canonicalis\\w+',
  'catalogues?',
  'centr(e|es|ed|ing)',
  'cheques?',
  'colour\\w*',
  'customis\\w+',
  'defence',
  'dialogues?',
  'emphasis(e|ed|es|ing)',
  'favour\\w*',
  'fulfil',
  'grey\\w*',
  'honour\\w*',
  'initialis\\w+',
  'judgement\\w*',
  'labell(ed|ing)',
  'licences?',
  'maximis\\w+',
  'minimis(e|ed|es|ing|ation)',
  'modell(ed|ing)',
  'neighbour\\w*',
  'normalis\\w+',
  'offence',
  'optimis(e|ed|er|es|ing|ation|ations)',
  'organis\\w+',
  'penalis\\w+',
  'prioritis\\w+',
  'programmes?',
  'realis(e|ed|es|ing)',
  'recognis\\w+',
  'sanitis\\w+',
  'serialis\\w+',
  'signall(ed|ing)',
  'specialis\\w+',
  'summaris\\w+',
  'synchronis\\w+',
  'tokenis\\w+',
  'travell(ed|er|ing)',
  'unrecognis\\w+',
  'utilis(ed|ing)',
  'visualis\\w+',
];
const pattern = new RegExp(`(?<![a-z])(?:${british.join('|')})(?![a-z])`, 'gi');

const folders = ['src', 'apps', 'test', 'docs', 'tools', 'bench', 'examples'];

function textsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    // `de` has German texts.
    if (entry.isDirectory()) return /^(?:\.|(?:node_modules|de)$)/.test(entry.name) ? [] : textsBelow(path);
    const isOurs = !['spelling.test.ts', 'package-lock.json'].includes(entry.name);
    return isOurs && /\.(?:css|html|js|json|md|mjs|ts|txt)$/.test(path) ? [path] : [];
  });
}

test('the repository spells American English', () => {
  const read = [...readdirSync('.').filter((file) => file.endsWith('.md')), ...folders.flatMap(textsBelow)];
  expect(read.length).toBeGreaterThan(500);
  const found = read.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => [...line.matchAll(pattern)].map(([word]) => `${file}:${at + 1} ${word}`)),
  );
  expect(found).toEqual([]);
});
