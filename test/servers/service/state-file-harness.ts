import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Client, createClient } from 'portcullis/client';
import type { Service, ServiceOptions } from 'portcullis/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { readOptions } from '../../../src/core/options/read-options.js';
import { type Serving, serviceOf } from '../../../src/servers/service/service.js';
import { serviceKinds } from '../../../src/servers/service/service-options.js';
import { type StateFileOptions, stateFile } from '../../../src/servers/service/state/state-file.js';

let folder = '';
const services: Service[] = [];

/** To be called by a file of tests before it uses the others: they write into one folder, which is removed at the end. */
export function stateFiles(): void {
  const own = mkdtempSync(join(tmpdir(), 'state-'));
  beforeAll(() => {
    folder = own;
  });
  afterEach(() => Promise.allSettled(services.splice(0).map((service) => service.close())));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
}

let files = 0;
export const newFile = (): string => join(folder, String(++files), 'state.json');

export interface Running {
  readonly service: Service & Serving;
  readonly client: Client;
  readonly close: () => Promise<void>;
}

/** Takes over the lock of a dead process at once. */
const lockStaleMs = 100;

export async function started(file: string, given: StateFileOptions & ServiceOptions = {}): Promise<Running> {
  const { maxBytes: _, lockStaleMs: __, fileSystem: ___, ...options } = given;
  const settings = readOptions('createService', serviceKinds(), options);
  const service = serviceOf(settings, stateFile(file, { lockStaleMs, ...given }));
  services.push(service);
  const client = createClient({
    baseUrl: 'https://service.test',
    apiKey: service.key,
    retry: false,
    fetch: (url, init) => service.fetch(url, init as RequestInit),
  });
  await service.ready;
  return { service, client, close: () => service.close() };
}

export const submit = async ({ client }: Running, name: string): Promise<number> =>
  (await client.assets.submit({ assets: [`https://${name}.example/`] })).submittedAssets[0]!.assetId;

export const has = ({ service }: Running, name: string): boolean =>
  service.snapshot().tables.assets!.some(({ content }) => content === `${name}.example`);

/** The names that a restarted service finds. It must also accept and keep a further write. */
export async function foundIn(file: string, names: readonly string[]): Promise<string[]> {
  const running = await started(file);
  const found = names.filter((name) => has(running, name));
  await submit(running, 'further');
  await running.close();
  const again = await started(file);
  expect([...found, 'further'].filter((name) => !has(again, name))).toEqual([]);
  await again.close();
  return found;
}

export interface Acknowledged {
  readonly kind: string;
  readonly name: string;
  readonly ids: readonly number[];
}

const bundled = () =>
  build({
    entryPoints: [fileURLToPath(new URL('./state-file-child.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'zod'],
    write: false,
  });
let bundle: ReturnType<typeof bundled> | undefined;

/** Starts a child that writes. */
export async function startChild(file: string, round = '', descriptionBytes = 0): Promise<ChildProcess> {
  bundle ??= bundled();
  const code = (await bundle).outputFiles[0]?.text;
  const args = ['--input-type=module', '-', file, round, String(descriptionBytes)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  // It may be killed before it has read everything.
  child.stdin?.on('error', () => {});
  child.stdin?.end(code);
  return child;
}

/** Kills a child some time after its start or its first write, and returns what it acknowledged. */
async function killed(file: string, round: string, from: 'start' | 'write', delayMs: number, descriptionBytes: number) {
  const child = await startChild(file, round, descriptionBytes);
  const acknowledged: Acknowledged[] = [];
  let rest = '';
  const hasWritten = once(child.stdout!, 'data');
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    acknowledged.push(...lines.map((line) => JSON.parse(line) as Acknowledged));
  });
  const closed = once(child, 'close');
  if (from === 'write') await Promise.race([hasWritten, closed]);
  await sleep(delayMs);
  child.kill('SIGKILL');
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal, 'the child must not end by itself').toBe('SIGKILL');
  return acknowledged;
}

/** Everything that was acknowledged is there, and no request is half done. */
function verify({ service }: Running, acknowledged: readonly Acknowledged[]): void {
  const { tables, nextId } = service.snapshot();
  const contents = new Map(tables.assets!.map((asset) => [asset.content, asset]));
  const reports = new Map(tables.reports!.map((report) => [report.id, report]));
  const groups = new Map(tables.groups!.map((group) => [group.name, group.id]));
  const members = new Map(tables.memberships!.map((membership) => [membership.assetId, membership]));
  const gone = new Set(acknowledged.filter(({ kind }) => kind === 'ungrouped').map(({ name }) => name));
  for (const { kind, name, ids } of acknowledged) {
    if (kind === 'submitted') expect(['a', 'b', 'c'].map((part) => contents.get(`${name}-${part}.example`)?.id)).toEqual(ids);
    if (kind === 'reported') expect(reports.get(ids[0]!)?.title).toBe(name);
    if (kind === 'allowed') {
      expect(contents.get(`${name}.example`)).toMatchObject({ id: ids[0], status: 'ALLOWED' });
      expect(members.has(ids[0]!)).toBe(true);
    }
    // A removal that was not acknowledged may have happened.
    if (kind === 'grouped' && !gone.has(name)) expect([ids[0], undefined]).toContain(groups.get(name));
    if (kind === 'ungrouped') expect(groups.has(name)).toBe(false);
    if (kind === 'described') {
      const [asset, number] = name.split(' ') as [string, string];
      const { description } = members.get(contents.get(`${asset}.example`)!.id)!;
      expect(Number.parseInt(description!, 10)).toBeGreaterThanOrEqual(Number(number));
    }
  }
  for (const [content] of contents) {
    const [, name] = /^(s.+)-[abc]\.example$/.exec(content) ?? [];
    if (name !== undefined) expect(['a', 'b', 'c'].filter((part) => contents.has(`${name}-${part}.example`))).toHaveLength(3);
  }
  for (const { id } of reports.values()) expect(tables.proposals!.filter(({ reportId }) => reportId === id)).toHaveLength(2);
  const ids = Object.values(tables).flatMap((records) => records.map(({ id }) => id));
  expect(nextId).toBeGreaterThan(Math.max(...ids));
}

/** Kills one child after the other on one file, and checks the state after each. */
export async function killRepeatedly(rounds: number, descriptionBytes: number): Promise<Acknowledged[]> {
  const file = newFile();
  const acknowledged: Acknowledged[] = [];
  for (let round = 0; round < rounds; round++) {
    // Every fourth process is killed during its start, which also writes the file.
    const from = round % 4 === 3 ? 'start' : 'write';
    const idsBefore = acknowledged.flatMap(({ ids }) => ids);
    const added = await killed(file, `x${round}`, from, Math.random() * { start: 300, write: 150 }[from], descriptionBytes);
    const newIds = added.filter(({ kind }) => kind !== 'ungrouped').flatMap(({ ids }) => ids);
    expect(
      newIds.filter((id) => idsBefore.includes(id)),
      'ids must not be used again',
    ).toEqual([]);
    acknowledged.push(...added);
    const running = await started(file);
    verify(running, acknowledged);
    acknowledged.push({ kind: 'after', name: '', ids: [await submit(running, `after-${round}`)] });
    await running.close();
  }
  return acknowledged;
}
