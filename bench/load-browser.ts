import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadRows } from './load.js';
import type { BenchPage } from './page.js';
import {
  countName,
  type Figures,
  type Group,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** How long after a start is the first verdict ready, from a list in IndexedDB in a browser? */
export const loadBrowser: Question = {
  name: 'load-browser',
  title: 'From a start to the first verdict, in Chromium with IndexedDB',
  groups,
  rows,
};

const ours = 'createBlocklist, ready, test';
const floor = 'the same values, read and digested by crypto.subtle';
const laterLoads = 5;

function groups(settings: Settings): Group[] {
  const count = settings.quick ? 50_000 : 1_000_000;
  return [
    {
      name: countName(count),
      prepare: () => store(count, settings),
      variants: [
        { name: ours, measure: () => timeLoads('verdict', settings) },
        { name: floor, measure: () => timeLoads('digest', settings) },
      ],
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name }) => loadRows(results, name, ours, floor));
}

type Ask = (name: keyof BenchPage, count?: number) => Promise<number>;

const profileIn = ({ scratch }: Settings): string => join(scratch, 'chromium');

async function store(count: number, settings: Settings): Promise<Figures> {
  await rm(profileIn(settings), { recursive: true, force: true });
  return inPage(settings, async (ask) => ({ ms: await ask('fill', count) }));
}

/** The browser is restarted, so the first load is the first one of its page and its database. */
async function timeLoads(name: 'verdict' | 'digest', settings: Settings): Promise<Figures> {
  return inPage(settings, async (ask) => {
    const firstMs = await ask(name);
    const later: number[] = [];
    for (let index = 0; index < laterLoads; index++) later.push(await ask(name));
    return { firstMs, laterMs: spreadOf(later).median };
  });
}

/** A profile in a folder: without one Chromium keeps databases in memory. */
async function inPage(settings: Settings, run: (ask: Ask) => Promise<Figures>): Promise<Figures> {
  if (settings.chromium === undefined) throw new Error('Chromium was not found; set CHROMIUM_PATH');
  const { chromium } = await import('playwright');
  const context = await chromium.launchPersistentContext(profileIn(settings), {
    executablePath: settings.chromium,
    // Chromium's sandbox refuses to run as root.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run'],
  });
  try {
    const page = await context.newPage();
    const script = await readFile(resolve('bench/results/.build/page.js'), 'utf8');
    // Only an https: page may use `crypto.subtle` and Web Locks. No server is needed.
    const body = `<!doctype html><title>bench</title><script>${script.replaceAll('</script', '<\\/script')}</script>`;
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
    await page.goto('https://bench.example/');
    return await run((name, count = 0) =>
      page.evaluate(([call, entries]) => (globalThis as unknown as { page: BenchPage }).page[call](entries), [
        name,
        count,
      ] as const),
    );
  } finally {
    await context.close();
  }
}
