/** A client of the demonstration, in a page of Chromium. */
import { type Blocklist, createBlocklist } from 'portcullis';
import { transparencyLog } from 'portcullis/log';
import { oblivious } from 'portcullis/ohttp';
import { ed25519, publishedSource } from 'portcullis/sources';

export interface ClientOptions {
  readonly url: string;
  readonly publicKey: string;
  readonly relay: string;
  readonly log: { readonly key: string; readonly witnesses: readonly string[] };
}

export interface ClientState {
  readonly verdict: { readonly status: string; readonly expression: string | null };
  readonly entries: number;
  /** Codes of the `log` events so far. */
  readonly alarms: readonly string[];
}

export interface Client {
  open(options: ClientOptions): Promise<void>;
  /** Asks once whether there is a newer list, as a poll does. */
  poll(): Promise<void>;
  check(link: string): Promise<ClientState>;
}

const alarms: string[] = [];
let blocklist: Blocklist;

const client: Client = {
  async open({ url, publicKey, relay, log }) {
    const ohttp = oblivious({ relay });
    const source = publishedSource({ url, publicKeys: [publicKey], verifier: ed25519, ohttp, log: transparencyLog(log) });
    blocklist = createBlocklist({ sources: [source], pollMs: 0, deadlineMs: 20_000 });
    blocklist.on('log', ({ error }) => alarms.push(error.code));
    await blocklist.ready();
  },
  async poll() {
    await blocklist.sync();
  },
  async check(link) {
    const { status, expression = null } = await blocklist.check(link);
    const list = blocklist.status().sources[0]?.list;
    return { verdict: { status, expression }, entries: (list?.count ?? 0) + (list?.recentCount ?? 0), alarms };
  },
};
Object.assign(globalThis, { client });
