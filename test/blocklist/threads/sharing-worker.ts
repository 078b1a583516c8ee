import { parentPort } from 'node:worker_threads';
import { createBlocklist } from 'portcullis';
import { shareBlocklist } from 'portcullis/threads';
import { ownSource } from '../engine/own-source.js';

/** A thread that shares its blocklist with the thread that started it, and blocks or waits for a given time. */
const source = ownSource({ snapshot: ['evil.example', 'slow.example'], allow: ['allowed.evil.example'] });
const blocklist = createBlocklist({ sources: [source], pollMs: 0, neverBlock: ['never.example'] });
await blocklist.ready();
const shared = shareBlocklist(blocklist);
parentPort!.on('message', (message: 'port' | 'silent source' | { readonly busyMs: number }) => {
  if (message === 'port') {
    const port = shared.port<never>();
    parentPort!.postMessage(port, [port]);
  } else if (message === 'silent source') {
    source.before = () => new Promise(() => {});
    parentPort!.postMessage('done');
  } else {
    parentPort!.postMessage('busy');
    for (const endMs = Date.now() + message.busyMs; Date.now() < endMs; );
  }
});
