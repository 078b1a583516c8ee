/** The OpenAPI document, the client and the embedded service, judged by a contract checker of somebody else. */
import { allOperations, openApi } from 'portcullis/client';
import { createService, type ServedService } from 'portcullis/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractChecker } from '../../../tools/deep/contract-checker.js';
import { samples } from '../../api/client/operation-samples.js';
import { everyOperation } from './every-operation.js';

describe('through an independent contract checker, over HTTP,', () => everyOperation({ through: contractChecker }));

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

describe('a request', () => {
  let service: ServedService;
  let url: string;
  let checker: Awaited<ReturnType<typeof contractChecker>>;

  beforeAll(async () => {
    service = createService();
    ({ url } = await service.listen());
    checker = await contractChecker(url);
  });
  afterAll(() => Promise.all([checker.close(), service.close()]));

  const send = async (to: string, { method, path, headers, body }: Sent) => {
    const response = await fetch(to + path, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  /** Sends a request to the checker; what it rejects, to the service itself. */
  async function judge(sent: Sent): Promise<{ rejectedByChecker: boolean; status: number; text: string }> {
    const judged = await send(checker.url, sent);
    const rejectedByChecker = judged.type === 'application/problem+json';
    if (rejectedByChecker && judged.status === 500) throw new Error(`${sent.method} ${sent.path}: ${judged.text}`);
    return { rejectedByChecker, ...(rejectedByChecker ? await send(url, sent) : judged) };
  }

  /** The sample call of each operation with the published route, for an organization that exists. */
  const calls = allOperations.flatMap(({ name, method, path, upload, slugAs }) => {
    if (method === null || path === null || upload) return [];
    const { input = {}, route = `${method} ${path}`, body = input } = samples[name as keyof typeof samples] ?? {};
    const named = (text: string) => text.replace(/\b(acme|other|a%2Fb|a%20c%2Fm%3Fe)\b/g, 'example-wallet');
    const [, target = ''] = route.split(' ');
    const fields = JSON.parse(named(JSON.stringify(body))) as Record<string, unknown>;
    return [{ name, method, path: named(target), fields, isGet: method === 'GET', slugAs }];
  });
  const headers = () => ({ 'x-api-key': service.key, 'content-type': 'application/json' });

  const requestOf = ({ method, path, isGet }: (typeof calls)[number], fields: unknown): Sent => ({
    method,
    path,
    headers: headers(),
    ...(!isGet && { body: JSON.stringify(fields) }),
  });

  test('that the document allows passes the checker in every operation, and the service answers it as documented', async () => {
    expect(calls).toHaveLength(63);
    for (const call of calls) {
      const { rejectedByChecker, status, text } = await judge(requestOf(call, call.fields));
      expect([call.name, rejectedByChecker, status === 500 ? text : 'answered']).toEqual([call.name, false, 'answered']);
    }
  });

  test('without a key, or with one in another place, is rejected by both', async () => {
    for (const call of calls) {
      const { headers: given, ...sent } = requestOf(call, call.fields);
      for (const others of [{}, { authorization: `Bearer ${given['x-api-key']}` }]) {
        const judged = await judge({ ...sent, headers: { 'content-type': 'application/json', ...others } });
        expect([call.name, judged.rejectedByChecker, judged.status]).toEqual([call.name, true, 401]);
      }
    }
  });

  test('with a body of another content type is rejected by both', async () => {
    for (const call of calls.filter(({ isGet }) => !isGet)) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const judged = await judge({ ...requestOf(call, call.fields), headers: { ...headers(), 'content-type': type } });
        expect([call.name, type, judged.rejectedByChecker, judged.status]).toEqual([call.name, type, true, 400]);
      }
    }
  });

  test('with one wrong field is rejected by the service whenever the checker rejects it', async () => {
    const verdicts = { both: 0, none: 0 };
    for (const call of calls.filter(({ isGet }) => !isGet)) {
      for (const fields of mutantsOf(call.fields)) {
        const { rejectedByChecker, status, text } = await judge(requestOf(call, fields));
        const what = [call.name, JSON.stringify(fields)];
        if (rejectedByChecker) {
          expect([...what, status]).toEqual([...what, 400]);
          verdicts.both++;
        } else if (status === 400 && text.match(ruleOfSchema) && !ruleInWords.test(text)) {
          // The other way round: the document would lack a rule about types and lengths that the service has.
          expect([...what, text]).toEqual([...what, 'a rule of the document']);
        } else verdicts.none++;
      }
    }
    // The test is worth nothing if the mutants are all good or all bad.
    expect(verdicts.both).toBeGreaterThan(300);
    expect(verdicts.none).toBeGreaterThan(100);
  });

  test('with one wrong parameter is rejected by the service whenever the checker rejects it', async () => {
    const { paths } = openApi() as { paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }> };
    let rejections = 0;
    for (const call of calls.filter(({ isGet }) => isGet)) {
      const [pathname = '', query] = call.path.split('?');
      const names = (paths[pathname]?.get?.parameters ?? []).flatMap(({ name, in: where }) => (where === 'query' ? [name] : []));
      for (const name of names)
        for (const value of ['', 'x', '-1', '1.5', '99999999999', 'true', '2026-02-30', '%00', 'URL']) {
          const search = new URLSearchParams(query);
          search.set(name, decodeURIComponent(value));
          const judged = await judge({ ...requestOf(call, {}), path: `${pathname}?${search}` });
          if (!judged.rejectedByChecker) continue;
          expect([call.name, name, value, judged.status]).toEqual([call.name, name, value, 400]);
          rejections++;
        }
    }
    expect(rejections).toBeGreaterThan(50);
  });
});

/** What the schemas of the operations say; the service's own sentences end with a period. */
const ruleOfSchema = /(must (be|have) [^."]*|is missing|is not a known field)"/;

/** The document has these rules only in words: an integer is one that JavaScript can hold, a time may be a day, a URL is one of the web. */
const ruleInWords = /must be a whole number"|in ISO 8601"|must be an absolute URL of http or https/;

/** Each field left out, of each other type, empty and beyond its limits, at every depth. */
function* mutantsOf(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    yield [];
    for (const [at, item] of value.entries()) for (const mutant of mutantsOf(item)) yield value.with(at, mutant);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, 'not-a-field': 1 };
    for (const [name, field] of Object.entries(value)) {
      const { [name]: _, ...others } = value as Record<string, unknown>;
      yield others;
      for (const mutant of mutantsOf(field)) yield { ...value, [name]: mutant };
    }
  }
  for (const other of [null, true, -1, 0.5, 1e21, '', 'x', 'x'.repeat(300), [], [{}], {}]) yield other;
}
