import { parentPort, workerData } from 'node:worker_threads';
import { attachBlocklist } from 'portcullis/threads';
import { answersOf } from './block-answers.js';
import type { WorkerStart } from './block-workers.js';
import type { Block } from './input-lines.js';

/** A thread of `screen --workers`: answers blocks in the order in which they come. */
const { port, plan } = workerData as WorkerStart;
const blocklist = await attachBlocklist(port);
parentPort!.on('message', (block: Block) => {
  const answers = answersOf(block, plan, blocklist.test);
  parentPort!.postMessage(answers, [answers.bytes.buffer]);
});
