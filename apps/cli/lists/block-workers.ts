import { Worker } from 'node:worker_threads';
import type { Blocklist } from 'portcullis';
import { type MessagePortLike, shareBlocklist } from 'portcullis/threads';
import type { BlockAnswers, LinePlan } from './block-answers.js';
import type { Block } from './input-lines.js';

export interface WorkerStart {
  readonly port: MessagePortLike;
  readonly plan: LinePlan;
}

/** Threads that answer blocks from the shared memory of a list. */
export interface BlockWorkers {
  /** Rejects with `WorkerEnded`. */
  answer(block: Block): Promise<BlockAnswers>;
  close(): Promise<void>;
}

/** A thread that ended before it had answered its blocks. */
export class WorkerEnded extends Error {}

interface Waiting {
  resolve(answers: BlockAnswers): void;
  reject(error: WorkerEnded): void;
}

interface Running {
  readonly worker: Worker;
  /** A worker answers in the order of its blocks. */
  readonly waiting: Waiting[];
  ended: WorkerEnded | null;
}

export function startBlockWorkers(count: number, blocklist: Blocklist, plan: LinePlan): BlockWorkers {
  const shared = shareBlocklist(blocklist);
  const all = Array.from({ length: count }, () => startWorker({ port: shared.port(), plan }));
  return {
    answer(block) {
      const running = all.reduce((best, one) => (one.waiting.length < best.waiting.length ? one : best));
      return new Promise((resolve, reject) => {
        if (running.ended !== null) return reject(running.ended);
        running.waiting.push({ resolve, reject });
        // A copy of its own, because a message takes the whole memory that a view is part of.
        const bytes = block.bytes && new Uint8Array(block.bytes);
        running.worker.postMessage({ ...block, bytes }, bytes === null ? [] : [bytes.buffer]);
      });
    },
    async close() {
      shared.close();
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}

function startWorker(start: WorkerStart): Running {
  const worker = new Worker(new URL('./screen-worker.js', import.meta.url), {
    workerData: start,
    transferList: [start.port as never],
  });
  const running: Running = { worker, waiting: [], ended: null };
  const end = (why: string): void => {
    running.ended ??= new WorkerEnded(`a worker ended: ${why}`);
    for (const { reject } of running.waiting.splice(0)) reject(running.ended);
  };
  worker.on('message', (answers: BlockAnswers) => running.waiting.shift()?.resolve(answers));
  worker.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.name));
  worker.on('exit', (code) => end(`exit code ${code}`));
  return running;
}
