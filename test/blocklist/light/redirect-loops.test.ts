import { lightPublishedSource } from 'portcullis/light';
import { buildList } from 'portcullis/publish';
import { publishedSource, type Source } from 'portcullis/sources';
import { describe, expect, test } from 'vitest';
import { afterFailure, initialState, nextSyncAtMs } from '../../../src/blocklist/sync/sync-state.js';
import { type PortcullisError, wrapError } from '../../../src/core/errors.js';
import { type Answer, serve } from '../../support/scripted-server.js';
import { codeOf, filesOf } from '../sources/harness.js';

const hourMs = 3_600_000;
const loop: Answer = { status: 302, headers: { location: '/version.json' } };

/** Polls a source that always fails, as both engines do, in simulated time. */
async function failing(source: (now: () => number) => Source, hasList: boolean, forMs: number) {
  let state = initialState;
  const codes = new Set<string>();
  let nowMs = 1;
  const { version } = source(() => nowMs);
  for (; nowMs < forMs; nowMs = nextSyncAtMs(state, null, nowMs)) {
    const error: PortcullisError = await version({}).then(
      () => expect.unreachable(),
      (cause: unknown) => wrapError(cause, 'NETWORK', ''),
    );
    codes.add(error.code);
    state = afterFailure(state, error, { pollMs: 300_000, hasList, nowMs, random: 0.5 });
  }
  return [...codes];
}

test.each([
  ['with a list', true, 'full', publishedSource, 8],
  ['with a list', true, 'light', lightPublishedSource, 23],
  ['without one', false, 'full', publishedSource, 28],
  ['without one', false, 'light', lightPublishedSource, 49],
] as const)(
  'a redirect loop takes few requests in an hour (%s: %s, engine: %s)',
  async (_, hasList, _engine, sourceOf, count) => {
    const { origin, requests } = await serve([loop]);
    expect(await failing((now) => sourceOf({ url: origin, now }), hasList, hourMs)).toEqual(['REDIRECTED']);
    expect(requests.length).toBe(count);
  },
);

describe('the light source', () => {
  /** A list behind a redirect; `answer` replaces the redirect. */
  async function redirecting() {
    const files = filesOf(await buildList(['evil.example']));
    const state = { answer: undefined as Answer | undefined };
    const { origin, requests } = await serve(({ url }) =>
      url === '/version.json'
        ? (state.answer ?? { status: 302, headers: { location: '/there/version.json' } })
        : { body: Buffer.from(files.get(url.slice('/there/'.length))!) },
    );
    const clock = { nowMs: 0 };
    return { source: lightPublishedSource({ url: origin, now: () => clock.nowMs }), state, requests, files, clock };
  }

  test('follows a redirect again at once after the host was away', async () => {
    const { source, state } = await redirecting();
    await source.version({});
    state.answer = { fault: 'reset' };
    await expect(source.version({})).rejects.toThrow();
    state.answer = undefined;
    await source.version({});
  });

  test('notices at the next try that the host has the file itself again', async () => {
    const { source, state, files } = await redirecting();
    state.answer = loop;
    for (let times = 0; times < 3; times++) expect(await codeOf(source.version({}))).toBe('REDIRECTED');
    state.answer = { body: Buffer.from(files.get('version.json')!) };
    await source.version({});
  });

  test('follows a redirect that led nowhere again after half an hour', async () => {
    const { source, state, requests, clock } = await redirecting();
    state.answer = loop;
    expect(await codeOf(source.version({}))).toBe('REDIRECTED');
    state.answer = undefined;
    const before = requests.length;
    for (let times = 0; times < 2; times++) expect(await codeOf(source.version({}))).toBe('REDIRECTED');
    expect(requests.length - before).toBe(2);
    clock.nowMs += hourMs / 2;
    await source.version({});
  });

  test('does not take a request that was aborted for a loop', async () => {
    const { source, state } = await redirecting();
    state.answer = { ...loop, delayMs: 40 };
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    expect(await codeOf(source.version({ signal: stop.signal }))).toBe('ABORTED');
    state.answer = undefined;
    await source.version({});
  });
});
