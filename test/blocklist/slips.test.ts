import { type Blocklist, type CheckInput, createBlocklist, isPortcullisError, type Policy } from 'portcullis';
import { createLightBlocklist, lightPublishedSource } from 'portcullis/light';
import { buildList } from 'portcullis/publish';
import { publishedSource, type Source, type TextSourceOptions, textSource } from 'portcullis/sources';
import { memoryStore, type Store } from 'portcullis/stores';
import { onTestFinished, test } from 'vitest';
import { requireAnswers } from '../support/slips.js';
import { ownSource } from './engine/own-source.js';

const link = 'https://evil.example/';

function opened(source: Source, options: object = {}): Blocklist {
  const blocklist = createBlocklist({ sources: [source], pollMs: 0, ...options });
  onTestFinished(() => blocklist.close());
  return blocklist;
}

/** Why there is no list; or the verdict about a link that is not on the list. */
async function withSource(source: Source, options: object = {}): Promise<string> {
  const blocklist = opened(source, options);
  await blocklist.ready();
  const { status, reason } = await blocklist.check(link);
  return answerOf(status, reason, blocklist.status().sources[0]!.lastError);
}

/** The page says once what the verdict is without a list. */
function answerOf(status: string, reason: string, error: unknown): string {
  const verdict = `\`${status}\`, \`${reason}\``;
  if (error === null) return verdict;
  return verdict === '`unknown`, `no-list`' ? errorText(error) : `${verdict}; ${errorText(error)}`;
}

function errorText(error: unknown): string {
  if (!isPortcullisError(error)) throw error;
  return `\`${error.code}\`${error.code === 'INVALID_ARTIFACT' ? `: ${error.message.replace('the list is invalid: ', '')}` : ''}`;
}

/** The wording of an error is that of the option, and tested with it. */
async function thrown(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isPortcullisError(error) || error instanceof TypeError) return 'throws';
    throw error;
  }
  return '';
}

const withText = (options: Omit<TextSourceOptions, 'id'>): Promise<string> => withSource(textSource({ id: 'mine', ...options }));
const good = (): Source => textSource({ id: 'mine', text: 'other.example' });

/** The verdict of a list that has the host of the link. */
async function checked(input: unknown): Promise<string> {
  const blocklist = opened(textSource({ id: 'mine', text: 'evil.example' }));
  await blocklist.ready();
  const { status, reason } = await blocklist.check(input as CheckInput);
  return `\`${status}\`, \`${reason}\``;
}

async function storeTwice(): Promise<string> {
  const store = memoryStore();
  const lists = ['evil.example', 'other.example'].map((text) => opened(textSource({ id: 'mine', text }), { store }));
  for (const list of lists) await list.ready();
  const first = await lists[0]!.check(link);
  const again = opened(textSource({ id: 'mine', text: 'third.example' }), { store });
  const own = await again.check('third.example');
  return `each keeps its own list: the first \`${first.status}\`, a third \`${own.status}\``;
}

const notFound = async (): Promise<Response> => new Response('', { status: 404 });

test('every mistake with a list, an option or an input has an answer, and none is clear', async () => {
  await requireAnswers({
    'the path of a list as its text: `textSource({ text: "./list.txt" })`': () => withText({ text: './list.txt' }),
    'the name of a list as its text: `textSource({ text: "list.txt" })`': () => withText({ text: 'list.txt' }),
    'the URL of a list as its text': () => withText({ text: 'https://lists.example/list.txt' }),
    'a promise as the text': () => thrown(() => withText({ text: Promise.resolve('evil.example') as never })),
    'a `read` that returns nothing': () => withText({ read: (async () => undefined) as never }),
    'an empty file as the list': () => withText({ read: () => '' }),
    'a CSV without `format: "csv"`': () => withText({ text: 'url,type\nother.example,phishing\n' }),
    'a row `URL,evil.example` in a list of lines': () => withText({ text: 'URL,other.example\n' }),
    'a row `other.example;phishing` in a list of lines': () => withText({ text: 'other.example;phishing\n' }),
    'a table of pages without `format: "csv"`': () =>
      withText({ text: 'https://other.example/a,phishing\nhttps://other.example/b,malware\n' }),
    'a table of pages with `format: "hosts"`': () =>
      withText({ text: 'url,note\nhttps://other.example/a,phishing\nhttps://other.example/b,malware\n', format: 'hosts' }),
    'JSON without `format: "json"`': () => withText({ text: '{\n  "blacklist": [\n    "other.example"\n  ]\n}\n' }),
    'the same, cut off': () => withText({ text: '{\n  "blacklist": [\n    "other.example",\n' }),
    'a program in place of the list': () => withText({ bytes: crypto.getRandomValues(new Uint8Array(1_000)) }),
    'a hosts file without `format: "hosts"`': () => withText({ text: '0.0.0.0 other.example\n' }),
    'a filter list without `format: "filter"`': () => withText({ text: '||other.example^\n' }),
    'a hosts file with one host alone': () =>
      withText({ text: '0.0.0.0 other.example\n0.0.0.0 third.example\nfourth.example\n' }),
    'a link with a note behind it, in a list of lines': () => withText({ text: 'https://other.example/a phishing\n' }),
    'a web page in place of the list': () => withText({ text: '<!doctype html><p>Log in</p>' }),
    'a list in UTF-16': () => withText({ bytes: Buffer.from('other.example\n', 'utf16le') }),
    'a column that does not exist': () =>
      withText({ text: 'url,note\nother.example,x\n', format: 'csv', columns: { content: 'site' } }),
    'a list for an unknown algorithm': () => withSource(ownSource({ algoVersion: 'someone-elses-3' })),
    'a published list at a folder without `version.json`': () =>
      withSource(publishedSource({ url: 'https://list.example/empty', fetch: notFound })),
    'the same in `portcullis/light`': async () => {
      const source = lightPublishedSource({ url: 'https://list.example/empty', fetch: notFound });
      const blocklist = createLightBlocklist({ source, pollMs: 0 });
      onTestFinished(() => blocklist.close());
      await blocklist.ready();
      const { status, reason } = await blocklist.check(link);
      return answerOf(status, reason, blocklist.status().lastError);
    },
    'a promise as the list to publish: `buildList(promise)`': () => thrown(() => buildList(Promise.resolve([link]) as never)),
    'nothing to publish: `buildList([])`, and the list is written': () => thrown(async () => [...(await buildList([])).files]),
    'a file as the URL of a published list': () => thrown(() => publishedSource({ url: './list' })),
    'no source': () => thrown(() => createBlocklist({ sources: [] })),
    'two sources with one id': () => thrown(() => createBlocklist({ sources: [good(), good()] })),
    'a misspelled action: `policy: { unknown: "blok" }`': () =>
      thrown(() => opened(good(), { policy: { unknown: 'blok' } as unknown as Policy })),
    'a misspelled policy: `policy: { unknow: "block" }`': () => thrown(() => opened(good(), { policy: { unknow: 'block' } })),
    'options with getters of a class': () =>
      thrown(() => {
        class Config {
          sources = [good()];
          get policy(): Policy {
            return { unknown: 'block' };
          }
        }
        return createBlocklist(new Config());
      }),
    'a clock without a number: `now: () => Number.NaN`': () => thrown(() => opened(good(), { now: () => Number.NaN })),
    'a promise as the store': () => thrown(() => opened(good(), { store: Promise.resolve(memoryStore()) as unknown as Store })),
    'one store for two lists with one id': storeTwice,
    '`check(undefined)`': () => thrown(() => checked(undefined)),
    'a promise that was not awaited: `check(promise)`': () => thrown(() => checked(Promise.resolve(link))),
    'an object of another shape: `check(new URL(…))`': () => thrown(() => checked(new URL(link))),
    'a promise for `checkMany`': () => thrown(() => opened(good()).checkMany(Promise.resolve([link]) as never)),
    'one link for `checkMany`': () => thrown(() => opened(good()).checkMany(link as never)),
    'an empty text: `check("")`': () => checked(''),
    'the word `undefined`': () => checked(`${undefined}`),
    'a template that was not filled: `https://{{host}}/`': () => checked('https://{{host}}/'),
    'the path of a file of links: `check("/home/me/links.txt")`': () => checked('/home/me/links.txt'),
    'a row of a table: `check("https://good.example,phishing")`': () => checked('https://good.example,phishing'),
    'two links in one text': () => checked('https://good.example/ https://evil.example/'),
    'a list of links as JSON': () => checked('["https://good.example/","https://evil.example/"]'),
    'two cells of a table': () => checked('good.example\tevil.example'),
    'an address as wallets shorten it: `0x5290…9EE7`': () => checked('0x5290…9EE7'),
    'an address and an amount: `0x5290…,1.5`': () => checked('0x52908400098527886E0F7030069857D2E4169EE7,1.5'),
    'a rule of a filter list: `check("||good.example^")`': () => checked('||good.example^'),
    'a mistyped scheme: `check("htp://evil.example/")`': () => checked('htp://evil.example/'),
    'the same with the type of a link': () => checked({ content: 'htp://evil.example/', type: 'URL' }),
    'two links in two lines of one text': () => checked('https://good.example/\nhttps://evil.example/'),
    'two hosts in two lines of one text': () => checked('good.example\nevil.example'),
    'a link with the type of something else': () => checked({ content: link, type: 'PHONE_NUMBER' }),
    'a check after `close()`': () =>
      thrown(async () => {
        const blocklist = opened(good());
        await blocklist.close();
        await blocklist.check(link);
      }),
  });
});
