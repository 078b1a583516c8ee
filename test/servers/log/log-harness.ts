import {
  type BuiltList,
  buildList,
  generateLogKey,
  type LogSigner,
  type LogStorage,
  logSignerOf,
  readLogPolicy,
  signList,
} from 'portcullis/publish';
import { generateKeys, type Signer, signerOf } from 'portcullis/sources';
import { createWitness } from '../../../examples/witness/witness.js';
import { temporaryFolder } from '../../apps/cli/in-process.js';
import { originOf } from '../../support/listen.js';

/** What a process that is killed does: nothing more. */
export class Killed extends Error {}

export interface MemoryLog extends LogStorage {
  readonly files: Map<string, Uint8Array>;
  /** Called before each change, and may throw. */
  onChange: (what: string) => void | Promise<void>;
}

/** A log in memory that notices a change of what may not change. */
export function memoryLog(files = new Map<string, Uint8Array>()): MemoryLog {
  const log: MemoryLog = {
    files,
    onChange: () => {},
    read: async (path) => files.get(path)?.slice() ?? null,
    async create(path, bytes) {
      await log.onChange(`create ${path}`);
      if (files.has(path)) return false;
      files.set(path, bytes.slice());
      return true;
    },
    async replace(path, bytes) {
      await log.onChange(`replace ${path}`);
      files.set(path, bytes.slice());
    },
    async removeFolder(path) {
      for (const name of files.keys()) if (name.startsWith(`${path}/`)) files.delete(name);
    },
  };
  return log;
}

export interface Publisher {
  readonly signer: LogSigner;
  readonly vkey: string;
  /** A signed list of these hosts. Each one is newer. */
  list(...hosts: string[]): Promise<BuiltList>;
  payloadOf(list: BuiltList): Uint8Array;
}

export async function publisher(origin = 'lists.example/scam'): Promise<Publisher> {
  const { vkey, privateKey } = await generateLogKey(origin);
  const keys = await generateKeys();
  const signers: Signer[] = [await signerOf(keys.privateKey)];
  let nowMs = Date.now();
  return {
    signer: await logSignerOf(privateKey),
    vkey,
    async list(...hosts) {
      nowMs += 1_000;
      const now = () => nowMs;
      return signList(await buildList(hosts.length === 0 ? ['evil.example'] : hosts, { listName: 'scam', now }), {
        signers,
        now,
      });
    },
    payloadOf: (list) => new Uint8Array(Buffer.from(list.version.signed!.payload, 'base64')),
  };
}

export interface WitnessSet {
  readonly policy: ReturnType<typeof readLogPolicy>;
  readonly text: string;
  readonly vkeys: readonly string[];
  readonly urls: readonly string[];
  /** A name is that of its place: `w0`. */
  close(name: string): void;
}

/** Witnesses of the example, on this machine. */
export async function witnesses(logVkey: string, count: number, needed: number): Promise<WitnessSet> {
  const all = Array.from({ length: count }, (_, at) => createWitness(temporaryFolder(), `w${at}.example`, [logVkey]));
  const urls: string[] = [];
  for (const { server } of all) urls.push(await originOf(server));
  const names = all.map((_, at) => `w${at}`);
  const text = [
    `log ${logVkey}`,
    ...all.map(({ vkey }, at) => `witness w${at} ${vkey} ${urls[at]}`),
    `group all-of-them ${needed} ${names.join(' ')}`,
    'quorum all-of-them',
    '',
  ].join('\n');
  return {
    text,
    policy: readLogPolicy(text),
    vkeys: all.map(({ vkey }) => vkey),
    urls,
    close(name) {
      const { server } = all[names.indexOf(name)]!;
      server.close();
      server.closeAllConnections();
    },
  };
}
