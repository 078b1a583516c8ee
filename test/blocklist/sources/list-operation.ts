import { hashOf } from 'portcullis';
import { expect, test } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { type ListSourceOptions, listSource } from '../../../src/blocklist/sources/list-source.js';
import { errorOf, hasty, key, listening, readAll, shown } from './harness.js';
import { serviceFaults } from './service-faults.js';

export const entryOf = (expression: string): string => Buffer.from(hashOf(expression).subarray(0, 8)).toString('hex');
export const noWait = async (): Promise<void> => {};

export interface Row {
  content: string;
  type: string;
  status: string;
  updatedAtMs: number;
}

export interface Question {
  type: string;
  status: string;
  startDate: string;
  per_page: number;
  next_page?: string;
}

/** A list operation over these rows, which filters by day. */
export function answering(rows: () => readonly Row[], calls: Question[] = []): NonNullable<ListSourceOptions['fetch']> {
  return async (_, init) => {
    const question = JSON.parse(init?.body as string) as Question;
    calls.push(question);
    const fromMs = Date.parse(question.startDate);
    const fitting = rows().filter(
      ({ type, status, updatedAtMs }) => type === question.type && status === question.status && updatedAtMs >= fromMs,
    );
    const at = Number(question.next_page ?? 0);
    const page = fitting.slice(at, at + question.per_page);
    const next = at + page.length < fitting.length ? String(at + page.length) : null;
    const assets = page.map(({ updatedAtMs, ...row }) => ({ ...row, updatedAt: new Date(updatedAtMs).toISOString() }));
    return Response.json({ assets, next_page: next });
  };
}

export const source = (options: Partial<ListSourceOptions>): Source =>
  listSource({ baseUrl: 'https://api.example', apiKey: key, sleep: noWait, ...options });

/** Each with its first code: a list operation answers with no file, which could be malformed. */
const faults = Object.entries(serviceFaults).flatMap(([kind, codes]) =>
  codes === null ? [] : [[kind as Fault, codes[0]] as const],
);
type Fault = keyof typeof serviceFaults;
/** Faults after which the next attempt may succeed. */
const passing = new Set(['TIMEOUT', 'NETWORK', 'INTERNAL_SERVER_ERROR', 'TOO_MANY_REQUESTS']);

export function testListFaults(part: 'recent' | 'snapshot'): void {
  test.each(faults)(`${part}: reports the fault "%s" and recovers`, async (kind, code) => {
    const { service, url } = await listening();
    const list = listSource({
      baseUrl: url,
      apiKey: key,
      maxCallsPerSecond: 1_000,
      sleep: noWait,
      ...(code === 'TIMEOUT' && hasty),
    });
    const version = part === 'snapshot' ? await list.version({}) : undefined;
    const run = (): Promise<unknown> => (version === undefined ? list.version({}) : list.artifact('snapshot', version, {}));
    service.faults.add({ kind, on: '/asset/list', times: 3 });
    const error = await errorOf(run());
    expect([error.code, shown(error).includes(key)]).toEqual([code, false]);
    service.faults.clear();
    // A single failure among many pages is retried.
    if (passing.has(code)) service.faults.add({ kind, on: '/asset/list' });
    await run();
    expect((await readAll(list)).snapshot.entries.size).toBe(5);
  });
}
