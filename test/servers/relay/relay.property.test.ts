import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVersion } from '../../../src/blocklist/formats/version-document.js';
import type { Answer } from '../../support/scripted-server.js';
import {
  ask,
  confirm,
  confirmPath,
  key,
  pathOf,
  relayed,
  relayOf,
  upstreamOf,
  v2Confirm,
  v2Version,
  versionPath,
} from './relay-harness.js';

const segments = fc.constantFrom(
  ...'asset blocklist version confirm artifact .. . %2e%2e %2F a v2 list ?x #'.split(' '),
  '',
  '0'.repeat(32),
);
const path = fc.oneof(
  fc.array(segments, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
  fc.constantFrom(versionPath, confirmPath, `/m${versionPath}`, `/artifact/${'a'.repeat(32)}`),
  fc.webPath(),
);
const body = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record({ algoVersion: fc.oneof(fc.string(), fc.integer(), fc.anything()), prefixes: fc.anything() }).map((value) => {
    try {
      return JSON.stringify(value) ?? '';
    } catch {
      return '';
    }
  }),
  fc
    .record({
      algoVersion: fc.oneof(fc.constant(3), fc.integer(), fc.string({ minLength: 1 })),
      prefixes: fc.array(fc.stringMatching(/^[0-9a-f]{7,9}$/), { maxLength: 4 }),
    })
    .map((value) => JSON.stringify(value)),
);
const header = fc.constantFrom(
  ...'host x-forwarded-host x-forwarded-for if-none-match origin x-api-key content-type range cookie'.split(' '),
);

test('answers any request, and sends the service only version and confirm requests', async () => {
  const { server, relay, events } = await relayed({ sharedPerMinute: 1e9, upstreamPerMinute: 1e9 });
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE'),
      body,
      fc.dictionary(header, fc.stringMatching(/^[ -~]{0,20}$/), { maxKeys: 3 }),
      async (at, method, sent, headers) => {
        const before = server.requests.length;
        const hasBody = method !== 'GET' && method !== 'HEAD';
        const answer = await relay.fetch(
          new Request(`http://evil.example${at}`, { method, headers, ...(hasBody && { body: sent }) }),
        );
        seen.add(answer.status);
        expect([200, 204, 304, 400, 404, 405, 413]).toContain(answer.status);
        const text = await answer.text();
        if (answer.status >= 400 && method !== 'HEAD') {
          const envelope = JSON.parse(text) as object;
          expect(Object.keys(envelope)).toEqual(['message', 'code']);
        }
        if (answer.status === 200 && text !== '') JSON.parse(text);
        const said = JSON.stringify([text, [...answer.headers]]);
        expect(said).not.toContain(key);
        expect(text).not.toContain('evil.example');
        for (const request of server.requests.slice(before)) {
          if (request.method === 'GET') expect(request.url).toBe(v2Version);
          else {
            expect([request.method, request.url]).toEqual(['POST', v2Confirm]);
            const { prefixes } = JSON.parse(request.body.toString()) as { prefixes: string[] };
            expect(prefixes.every((prefix) => /^[0-9a-f]{8}$/.test(prefix))).toBe(true);
            expect(answer.status).toBe(200);
          }
        }
      },
    ),
    // One request for each kind of answer, so that few runs cover all of them.
    {
      examples: [
        [versionPath, 'GET', '', {}],
        [versionPath, 'OPTIONS', '', {}],
        [confirmPath, 'POST', '{', {}],
        ['/elsewhere', 'GET', '', {}],
        [versionPath, 'DELETE', '', {}],
      ],
    },
  );
  expect(JSON.stringify(events)).not.toContain(key);
  expect([...seen]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405]));
});

test('never repeats the key, whatever the service answers', async () => {
  const { server, answers } = await upstreamOf();
  const anyAnswer = fc.oneof(
    fc.record({
      status: fc.constantFrom(200, 201, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
      body: fc.oneof(
        fc.constant({ message: `the key ${key} is bad`, code: key }),
        fc.constant({ hashes: { [key]: [key] } }),
        fc.json().map((text) => text as unknown),
        fc.constant(`<html>${key}`),
      ),
    }),
    fc.record({
      status: fc.constantFrom(301, 302, 307, 308),
      headers: fc.constantFrom({ location: `/x?key=${key}` }, { location: `https://evil.example/${key}` }),
    }),
    fc.constant({ fault: 'reset' } as const),
  );
  await fc.assert(
    fc.asyncProperty(anyAnswer, fc.constantFrom('version', 'confirm', 'file'), async (bad, route) => {
      answers.clear();
      const { relay, events } = relayOf(server.origin);
      const paths = { version: v2Version, confirm: v2Confirm, file: '/files/recent' };
      answers.set(paths[route], bad as Answer);
      const version = await ask(relay, versionPath);
      const text = await version.text();
      const got = [version];
      const said = [text];
      if (version.status === 200) got.push(await ask(relay, pathOf(readVersion(JSON.parse(text)).recent.url)));
      got.push(await confirm(relay, ['a0000001']));
      for (const answer of got.slice(1))
        if (!answer.bodyUsed && answer.headers.get('content-type') === 'application/json') said.push(await answer.text());
      for (const answer of got) said.push(JSON.stringify([...answer.headers]));
      expect(JSON.stringify([said, events])).not.toContain(key);
      for (const answer of got) expect([200, 400, 502, 503]).toContain(answer.status);
      expect(events.filter(({ type }) => type === 'internal-error')).toEqual([]);
      await relay.close();
    }),
  );
});
