import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WitnessSet, witnesses } from '../../servers/log/log-harness.js';
import { run, runJson, temporaryFolder } from './in-process.js';

export interface Logged {
  readonly folder: string;
  readonly out: string;
  readonly log: string;
  readonly vkey: string;
  readonly key: string;
  readonly set: WitnessSet;
  readonly policy: string;
  publish(hosts: number, ...more: string[]): Promise<Awaited<ReturnType<typeof runJson>>>;
  verify(place: string, ...more: string[]): Promise<Awaited<ReturnType<typeof runJson>>>;
}

/** A folder for a signed list with a log, and witnesses. */
export async function loggedList(count = 3, needed = 2): Promise<Logged> {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  await run(['keygen', at('list.key')]);
  const { value } = await runJson(['keygen', at('log.key'), '--log', 'lists.example/scam']);
  const set = await witnesses(value.publicKey, count, needed);
  writeFileSync(at('policy.txt'), set.text);
  const base = ['--out', at('out'), '--sign', at('list.key'), '--log', at('out/log'), '--log-key', at('log.key')];
  return {
    folder,
    out: at('out'),
    log: at('out/log'),
    vkey: value.publicKey,
    key: at('log.key.pub'),
    set,
    policy: at('policy.txt'),
    publish(hosts, ...more) {
      writeFileSync(at('list.txt'), Array.from({ length: hosts }, (_, host) => `h${host}.example\n`).join(''));
      return runJson(['publish', at('list.txt'), ...base, '--log-policy', at('policy.txt'), ...more]);
    },
    verify: (place, ...more) => runJson(['log', 'verify', place, '--key', at('log.key.pub'), ...more]),
  };
}
