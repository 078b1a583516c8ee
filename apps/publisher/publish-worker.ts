import { isPortcullisError } from 'portcullis/publish';
import { type PublishOrder, type PublishProgress, type PublishResult, publishList } from './publish-list.js';

/** What the worker says; errors lose their class on the way. */
export type WorkerMessage =
  | ({ readonly kind: 'progress' } & PublishProgress)
  | ({ readonly kind: 'done' } & PublishResult)
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** Progress is shown ten times a second. */
const betweenMs = 100;

addEventListener('message', ({ data }: MessageEvent<PublishOrder>) => void work(data));

async function work(order: PublishOrder): Promise<void> {
  let toldMs = 0;
  const tell = (message: WorkerMessage): void => postMessage(message);
  try {
    const result = await publishList(order, (progress) => {
      const nowMs = performance.now();
      if (nowMs - toldMs < betweenMs) return;
      toldMs = nowMs;
      tell({ kind: 'progress', ...progress });
    });
    tell({ kind: 'done', ...result });
  } catch (error) {
    // Of other errors only the kind, because a message may quote the list.
    tell(
      isPortcullisError(error)
        ? { kind: 'failed', code: error.code, message: error.message }
        : { kind: 'failed', code: 'UNEXPECTED', message: error instanceof Error ? error.name : 'unknown error' },
    );
  }
}
