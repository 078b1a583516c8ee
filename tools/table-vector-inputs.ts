import { readFileSync } from 'node:fs';
import { wrapperTable } from '../src/core/assets/wrapper-table.js';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

/** A link for each row of a table of docs/algorithm.md, by the file of their vectors. */
export const tableVectorInputs: Readonly<Record<string, readonly string[]>> = {
  redirectors: wrapperTable.trim().split('\n').flatMap(linksOf),
  platforms: spellings(),
  addresses: (read('test/core/chains/addresses.json') as { hint?: string; inputs: string[] }[])
    .filter(({ hint }) => hint === undefined)
    .flatMap(({ inputs }) => inputs),
};

function spellings(): string[] {
  const { rows, explorers } = read('test/core/platforms/examples.json') as {
    rows: { spellings: [string, string][] }[];
    explorers: { spellings: [string, string][] };
  };
  return [...rows, explorers].flatMap((row) => row.spellings.map(([spelling]) => spelling));
}

/** The link that `line` finds, as each way to take it writes it. */
function linksOf(line: string): string[] {
  const [site, path, take] = line.split(/ +/) as [string, string, string];
  const inside = 'https://inside.example/a?b=c';
  const escaped = encodeURIComponent(inside);
  const host = site.replace('*', 'com');
  const start = (site.endsWith(':') ? `${site}//` : `https://${host}`) + path.replaceAll('*', 'x').replace(/\/$/, '');
  const slash = site.endsWith(':') ? '' : '/';
  if (take.startsWith('?'))
    return take
      .slice(1)
      .split(',')
      .map((name) => `${start}?${name === '' ? escaped : `x=1&${name}=${escaped}`}`);
  const forms: Readonly<Record<string, string>> = {
    '/': `${start}${site.endsWith(':') && path === '/' ? '' : '/'}${escaped}`,
    base64: `${start}${slash}?u=a1${Buffer.from(inside).toString('base64url')}`,
    cache: `${start}?q=cache:abcdefghijkl:${escaped}+word`,
    deeplink: `${start}?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${escaped}`)}`,
    goog: `https://inside-example.${host}/a?b=c&_x_tr_sl=auto`,
    http: `${start}/${inside}`,
    names: `${start}/send/pay-inside.eth@1`,
    params: `${start}?params=${encodeURIComponent(JSON.stringify({ url: inside }))}`,
    proof2: `${start}?u=${escaped.replaceAll('%', '-').replaceAll('/', '_')}&d=1`,
    proof3: `${start}/__${inside}__;!!x`,
    yahoo: `${start}/_ylt=A/RV=2/RU=${escaped}/RK=2`,
  };
  const form = forms[take];
  if (form === undefined)
    throw new Error(`no link for the reader "${take}"; add one to \`forms\` in tools/table-vector-inputs.ts`);
  return [form];
}
