import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireAnswers } from '../../support/slips.js';
import { run, temporaryFolder } from './in-process.js';

const files: Readonly<Record<string, string | Uint8Array>> = {
  'list.txt': 'evil.example\n',
  'empty.txt': '',
  'comments.txt': '# nothing\n',
  'links.txt': 'https://evil.example/\n',
  'rows.csv': 'https://good.example/,phishing\nhttps://evil.example/,phishing\n',
  'named.csv': 'id;url\n1;https://good.example/\n2;https://evil.example/\n',
  'program.bin': Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * at * 31) & 0xff)),
  'utf-16.txt': Buffer.from('\ufeffevil.example\n', 'utf16le'),
  'western.txt': Buffer.from('https://good.example/caf\u00e9\n', 'latin1'),
};

test('every mistake on the command line has an answer, and none passes without a word', async () => {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'folder'));
  const answered = async (line: string): Promise<string> => {
    const args = line
      .split(' ')
      .map((word) => (word in files || word === 'folder' || word === 'none.txt' ? join(folder, word) : word));
    const { code, stdout, stderr } = await run(args);
    expect(stdout, line).not.toContain('clear');
    const [first = ''] = stderr.replaceAll(`${folder}/`, '').split('\n');
    // The name of a folder that looks like a key is not repeated.
    const said = first.replace(/^portcullis: /, '').replace('the value is', '"folder" is');
    const [, reason = ''] = /(unknown +\S+|"error":"[\w-]+")/.exec(stdout) ?? [];
    return `exit ${code}: ${said === '' || stdout !== '' ? reason.replace(/ +/, ', ') : said}`;
  };
  const lines = {
    'a table without `--column`': 'screen --list list.txt rows.csv',
    'a table with names': 'screen --list list.txt named.csv',
    'a column that does not exist': 'screen --list list.txt --column link named.csv',
    'a column after the last': 'screen --list list.txt --column 9 named.csv',
    'a program in place of a text': 'screen --list list.txt program.bin',
    'a file in UTF-16': 'screen --list list.txt utf-16.txt',
    'a file in Windows-1252': 'screen --list list.txt --quiet western.txt',
    'an empty file': 'screen --list list.txt empty.txt',
    'a folder of links': 'screen --list list.txt folder',
    'a link in place of a file': 'screen --list list.txt https://evil.example/',
    'a misspelled option': 'screen --list list.txt --fail-on-blocked links.txt',
    'a misspelled status': 'screen --list list.txt --only blockd links.txt',
    'a file in place of a link': 'check --list list.txt links.txt',
    'a row of a table in place of a link': 'check --list list.txt https://good.example,phishing',
    'two links as one': 'check --list list.txt https://good.example;https://evil.example',
    'the word `undefined`': 'check --list list.txt undefined',
    'nothing to check': 'check --list list.txt',
    'a list that is empty': 'check --list empty.txt https://evil.example/',
    'a list of comments': 'check --list comments.txt https://evil.example/',
    'a list that does not exist': 'check --list none.txt https://evil.example/',
    'a folder in place of a list': 'check --list folder https://evil.example/',
    'a program in place of a list': 'check --list program.bin https://evil.example/',
    'the wrong format': 'check --list list.txt --format json https://evil.example/',
    'a column that the list does not have': 'check --list named.csv --column link https://evil.example/',
    'a folder in place of the URL of a published list': 'check --published folder https://evil.example/',
    'two lists of different kinds': 'check --local --list list.txt https://evil.example/',
    'a program to publish': 'publish program.bin --out folder',
    'an empty list to publish': 'publish empty.txt --out folder',
    'a folder without `version.json` to serve': 'serve --published folder',
  };
  await requireAnswers(
    Object.fromEntries(Object.entries(lines).map(([slip, line]) => [`${slip}: \`${line}\``, () => answered(line)])),
  );
});
