import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect } from 'vitest';
import { hostsOf, randomOf, renderingsOf } from '../../support/list-renderings.js';
import { serve } from '../../support/scripted-server.js';

/** A list whose content and format change is followed through updates, faults and restarts. */
export async function followUpdates(updates: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  let hosts = hostsOf(random, 60);
  let body = '';
  let version = 0;
  let fault: 'reset' | 'cut' | 'page' | null = null;
  const known = new Set(hosts);
  const server = await serve(({ method, headers }) => {
    const etag = `"${version}"`;
    if (fault === 'page')
      return { body: '<!doctype html><title>Sign in</title><a href="https://good.example/">good.example</a>' };
    if (fault !== null) return { fault, body };
    if (method === 'HEAD' && version % 3 === 0) return { status: 405 };
    return headers['if-none-match'] === etag ? { status: 304 } : { body, headers: { etag } };
  });
  const store = memoryStore();
  const open = () =>
    createBlocklist({ sources: [textSource({ id: 'list', url: server.origin, format: 'auto' })], store, pollMs: 0 });
  let blocklist = open();
  const expectSame = (where: string): void => {
    const blocked = [...known].filter((host) => blocklist.test(`https://www.${host}/x`).status === 'blocked');
    expect(blocked.sort(), where).toEqual([...hosts].sort());
    expect(blocklist.test('https://good.example/').status, where).toBe('clear');
  };
  for (let update = 0; update < updates; update++) {
    if (update > 0) {
      const fresh = hostsOf(random, 70).slice(0, Math.floor(random() * 8));
      hosts = [...hosts.slice(Math.min(Math.floor(random() * 8), hosts.length - 40)), ...fresh];
      for (const host of fresh) known.add(host);
    }
    const renderings = renderingsOf(hosts, random);
    const { format, text } = renderings[Math.floor(random() * renderings.length)]!;
    version++;
    body = text;
    if (update > 0 && random() < 0.3) {
      const before = hosts;
      fault = (['reset', 'cut', 'page'] as const)[Math.floor(random() * 3)]!;
      expect((await blocklist.sync()).outcome, fault).not.toBe('updated');
      fault = null;
      hosts = before;
    }
    let result = await blocklist.sync();
    // A list without proof that lacks more than ten entries, and a twentieth, must come twice.
    if (result.sources[0]?.error?.code === 'SUSPICIOUS_LIST') result = await blocklist.sync();
    expect(result.outcome, `update ${update}, ${format}:\n${body.slice(0, 500)}`).toMatch(/updated|unchanged/);
    expectSame(`update ${update}, ${format}`);
    if (random() < 0.2) {
      await blocklist.close();
      blocklist = open();
      await blocklist.ready();
      expectSame(`restart after update ${update}`);
    }
  }
  await blocklist.close();
}
