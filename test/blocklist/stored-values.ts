import { createHash } from 'node:crypto';
import { memoryStore } from 'portcullis/stores';
import type { Store } from 'portcullis/testing';
import { decodeJsonRecord, encodeJsonRecord } from '../../src/blocklist/formats/record.js';

/** What is stored of one list, by name: values, and the newest head under `id/head`. */
export type Values = ReadonlyMap<string, Uint8Array>;

/** Changes a stored value; `null` removes it. */
export type Harm = (name: string, bytes: Uint8Array) => Uint8Array | null;

/** A store whose content can be replaced while it is open. */
export function replaceableStore() {
  let kept = memoryStore();
  const store = new Proxy(kept, {
    get: (_, name: keyof Store) => {
      const call = kept[name];
      const called = (...args: never[]) => (kept[name] as (...args: never[]) => unknown)(...args);
      return typeof call === 'function' ? called : call;
    },
  });
  return {
    store,
    async replace(other: Store): Promise<void> {
      await other.open();
      kept = other;
    },
  };
}

/** Reads an open store. */
export async function valuesOf(store: Store, id: string): Promise<Values> {
  const values = new Map<string, Uint8Array>();
  for (const name of await store.list(`${id}/`)) values.set(name, (await store.read(name))!);
  const [newest] = await store.heads(`${id}/head`);
  if (newest !== undefined) values.set(`${id}/head`, newest.bytes);
  return values;
}

/** The same store with changed values. */
export async function copyOf(store: Store, id: string, harm: Harm): Promise<Store> {
  const copy = memoryStore();
  await copy.open();
  for (const name of await store.list(`${id}/`)) {
    const bytes = harm(name, (await store.read(name))!);
    if (bytes !== null) await copy.write(name, bytes);
  }
  const name = `${id}/head`;
  const [newest, ...older] = await store.heads(name);
  let sequence = 0;
  for (const { bytes } of older.reverse()) await copy.commit(name, bytes, sequence++);
  // A store gives no bytes for a head that it cannot read.
  if (newest !== undefined) await copy.commit(name, harm(name, newest.bytes) ?? new Uint8Array(0), sequence);
  return copy;
}

/** Changes what either engine has stored about its next round. */
export const withRetry = (change: (retry: object) => object): Harm => withState('retry', change);

/** Changes one field of what either engine has stored beside a list. */
export function withState(field: string, change: (value: object) => unknown): Harm {
  const changed = (json: unknown) => ({ ...(json as object), [field]: change((json as Record<string, object>)[field]!) });
  return (name, bytes) => {
    if (name.endsWith('/retry')) return encodeJsonRecord('retry', changed(decodeJsonRecord('retry', bytes)));
    return name.endsWith('/light-state') ? changedState(bytes, changed) : bytes;
  };
}

function changedState(bytes: Uint8Array, change: (json: unknown) => object): Uint8Array {
  const end = 36 + Buffer.from(bytes).readUInt32BE(32);
  const json = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(bytes.subarray(36, end)).toString()))));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  const content = Buffer.concat([length, json, bytes.subarray(end)]);
  return Buffer.concat([createHash('sha256').update(content).digest(), content]);
}
