import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { type Blocklist, createBlocklist, type Verdict } from 'portcullis';
import { textSource } from 'portcullis/sources';
import type { ProviderRequest, WalletGuardOptions, WalletProvider } from 'portcullis/wallet';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { guideBlock } from '../../../tools/guide-blocks.js';
import { account, clean, listed } from './guard-world.js';

interface Gate {
  visit(url: string): Promise<void>;
  mayLoad(request: { url: string; isTopFrame?: boolean }): boolean;
}

interface Message {
  readonly nativeEvent: { readonly data: string; readonly url: string };
}

interface Guide {
  pageGate(blocklist: Blocklist, shown: { open(url: string): void; warn(url: string, verdict: Verdict): void }): Gate;
  readonly injectedProvider: string;
  walletBridge(
    options: Omit<WalletGuardOptions, 'origin'> & { wallet: WalletProvider; inject(script: string): void },
  ): (message: Message) => Promise<void>;
}

let folder: string;
let guide: Guide;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'web-view-'));
  const outfile = join(folder, 'guide.mjs');
  const files = ['page-gate.js', 'wallet-bridge.js'].map((file) => guideBlock('docs/react-native.md', file));
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  await build({
    stdin: { contents: files.join('\n'), resolveDir },
    alias: { 'portcullis/wallet': fileURLToPath(new URL('../../../src/entry/wallet.ts', import.meta.url)) },
    bundle: true,
    format: 'esm',
    outfile,
  });
  guide = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Guide;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function lists(): Promise<Blocklist> {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `evil.example\n${listed}\n` })], pollMs: 0 });
  await blocklist.ready();
  return blocklist;
}

test('pages and frames that are listed do not load, others do', async () => {
  const opened: string[] = [];
  const warned: string[] = [];
  const gate = guide.pageGate(await lists(), { open: (url) => opened.push(url), warn: (url) => warned.push(url) });
  expect(gate.mayLoad({ url: 'https://app.example/' })).toBe(true);
  expect(gate.mayLoad({ url: 'https://app.example/frame', isTopFrame: false })).toBe(true);
  expect(gate.mayLoad({ url: 'https://login.evil.example/' })).toBe(false);
  expect(gate.mayLoad({ url: 'https://evil.example/frame', isTopFrame: false })).toBe(false);
  await expect.poll(() => warned).toEqual(['https://login.evil.example/']);
  await gate.visit('https://evil.example/first');
  await gate.visit('https://app.example/first');
  // A frame never takes over the page.
  expect(warned).toEqual(['https://login.evil.example/', 'https://evil.example/first']);
  expect(opened).toEqual(['https://app.example/first']);
});

test('a page whose prefix matches by chance is opened once the source has been asked', async () => {
  const [opened, warned]: [string[], string[]] = [[], []];
  const verdicts: Record<string, Partial<Verdict>> = {
    test: { status: 'unconfirmed', action: 'block' },
    check: { status: 'clear', action: 'allow' },
  };
  const chance = { test: () => verdicts['test'], check: async () => verdicts['check'] } as unknown as Blocklist;
  const gate = guide.pageGate(chance, { open: (url) => opened.push(url), warn: (url) => warned.push(url) });
  expect(gate.mayLoad({ url: 'https://app.example/' })).toBe(false);
  await expect.poll(() => opened).toEqual(['https://app.example/']);
  expect(gate.mayLoad({ url: 'https://app.example/' })).toBe(true);
  // Each visit is checked anew.
  expect(gate.mayLoad({ url: 'https://app.example/' })).toBe(false);
  // A policy that lets pass what is not confirmed does not skip the question.
  verdicts['test'] = { status: 'unconfirmed', action: 'allow' };
  expect(gate.mayLoad({ url: 'https://other.example/' })).toBe(false);
  expect(warned).toEqual([]);
});

test('a page that has passed and is not asked about must pass again later, and a late answer opens nothing', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const opened: string[] = [];
  let answer = (): void => {};
  const slow = {
    test: () => ({ status: 'unconfirmed', action: 'warn' }),
    check: () => new Promise((resolve) => (answer = () => resolve({ status: 'clear', action: 'allow' }))),
  } as unknown as Blocklist;
  const gate = guide.pageGate(slow, { open: (url) => opened.push(url), warn: () => {} });
  const visit = async (url: string): Promise<void> => {
    const visited = gate.visit(url);
    answer();
    await visited;
  };
  await visit('https://first.example/');
  vi.advanceTimersByTime(4_000);
  expect(gate.mayLoad({ url: 'https://first.example/', isTopFrame: false })).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(gate.mayLoad({ url: 'https://first.example/', isTopFrame: false })).toBe(false);
  const late = gate.visit('https://late.example/');
  const answerLate = answer;
  await visit('https://second.example/');
  answerLate();
  await late;
  expect(opened).toEqual(['https://first.example/', 'https://second.example/']);
});

interface Provider {
  request(asked: ProviderRequest): Promise<unknown>;
}

/** A WebView: a realm of its own, whose messages reach the app with the URL that the native side knows. */
async function webView(url: string): Promise<{
  readonly ethereum: Provider;
  readonly received: ProviderRequest[];
  /** Goes elsewhere, as a page does on its own. */
  go(url: string): void;
  /** What a script of the page sends by itself. */
  post(data: string): Promise<void>;
}> {
  const received: ProviderRequest[] = [];
  const wallet: WalletProvider = {
    async request(asked) {
      received.push(asked);
      return asked.method === 'eth_requestAccounts' ? [account] : `signed ${asked.method}`;
    },
  };
  let current = url;
  const page = createContext({ location: { origin: new URL(url).origin } });
  const onMessage = guide.walletBridge({ wallet, blocklist: await lists(), inject: (script) => void runInContext(script, page) });
  const post = (data: string): Promise<void> => onMessage({ nativeEvent: { data, url: current } });
  Object.assign(page, { window: page, ReactNativeWebView: { postMessage: (data: string) => void post(data) } });
  runInContext(guide.injectedProvider, page);
  return {
    ethereum: (page as unknown as { ethereum: Provider }).ethereum,
    received,
    go(next) {
      current = next;
      (page as unknown as { location: { origin: string } }).location.origin = new URL(next).origin;
    },
    post,
  };
}

const pay = (to: string): ProviderRequest => ({ method: 'eth_sendTransaction', params: [{ from: account, to, value: '0x1' }] });

test('a page connects and pays through the bridge, and cannot pay who is listed', async () => {
  const { ethereum, received } = await webView('https://app.example/swap?x=1');
  expect(await ethereum.request({ method: 'eth_requestAccounts' })).toEqual([account]);
  expect(await ethereum.request(pay(clean))).toBe('signed eth_sendTransaction');
  await expect(ethereum.request(pay(listed))).rejects.toMatchObject({ code: 4001, message: 'the request was rejected' });
  expect(received.map(({ method }) => method)).toEqual(['eth_requestAccounts', 'eth_sendTransaction']);
});

test.each(['https://evil.example/', 'https://login.evil.example/a?b', 'https://evil.example'])(
  'the listed site %s cannot connect',
  async (url) => {
    const { ethereum, received } = await webView(url);
    await expect(ethereum.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({ code: 4001 });
    expect(received).toEqual([]);
  },
);

test('what a page says of itself does not count', async () => {
  const { post, received } = await webView('https://evil.example/');
  const claims = { origin: 'https://app.example', url: 'https://app.example/', nativeEvent: { url: 'https://app.example/' } };
  await post(JSON.stringify({ id: '0', method: 'eth_requestAccounts', ...claims }));
  await post('{"id":{"toString":1,"valueOf":1},"method":"eth_requestAccounts"}');
  expect(received).toEqual([]);
});

test.each(['http://app.example/', 'about:blank', 'data:text/html,x', 'https://app.example@evil.example/', ''])(
  'a page at %j reaches no wallet as another site',
  async (url) => {
    const { post, go, received } = await webView('https://app.example/');
    if (url !== '') go(url);
    await post('not JSON');
    await post('null');
    if (url !== '') await post(JSON.stringify({ id: '0', method: 'eth_requestAccounts' }));
    expect(received).toEqual([]);
  },
);

test('another site that is open by then does not see the answer', async () => {
  const { ethereum, go } = await webView('https://app.example/');
  const answered = ethereum.request({ method: 'eth_requestAccounts' });
  go('https://other.example/');
  const outcome = await Promise.race([answered, new Promise((resolve) => setTimeout(() => resolve('nothing'), 50))]);
  expect(outcome).toBe('nothing');
});
