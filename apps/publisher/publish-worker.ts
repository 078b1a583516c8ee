import { isPortcullisError, type LoggedVersion } from 'portcullis/publish';
import { type LogOrder, versionsIn } from './log-growth.js';
import { type PublishOrder, type PublishProgress, type PublishResult, publishList } from './publish-list.js';

/** What the worker says; errors lose their class on the way. */
export type WorkerMessage =
  | ({ readonly kind: 'progress' } & PublishProgress)
  | ({ readonly kind: 'done' } & PublishResult)
  | { readonly kind: 'log'; readonly versions: readonly LoggedVersion[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** Progress is shown ten times a second. */
const betweenMs = 100;

addEventListener('message', ({ data }: MessageEvent<PublishOrder | LogOrder>) => void work(data));

async function work(order: PublishOrder | LogOrder): Promise<void> {
  let toldMs = 0;
  const tell = (message: WorkerMessage): void => postMessage(message);
  try {
    if ('key' in order) return tell({ kind: 'log', versions: await versionsIn(order) });
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
