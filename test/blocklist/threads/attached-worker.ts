import { parentPort, workerData } from 'node:worker_threads';
import { attachBlocklist } from '../../../src/blocklist/extras/attach-blocklist.js';
import type { MessagePortLike } from '../../../src/blocklist/extras/thread-messages.js';
import { isPortcullisError } from '../../../src/core/errors.js';

const { port } = workerData as { port: MessagePortLike };
const blocklist = await attachBlocklist(port);
parentPort!.on('message', async (inputs: string[] | 'close' | 'race') => {
  if (inputs === 'close') {
    blocklist.close();
    parentPort!.close();
    return;
  }
  if (inputs === 'race') {
    // Exactly one of the two is listed at any time.
    let torn = 0;
    let rounds = 0;
    for (const endMs = Date.now() + 1_500; Date.now() < endMs; rounds++) {
      const verdicts = await blocklist.checkMany(['https://odd.example/', 'https://even.example/']);
      if (verdicts.filter(({ action }) => action === 'block').length !== 1) torn++;
    }
    parentPort!.postMessage({ torn, rounds });
    return;
  }
  try {
    parentPort!.postMessage(await blocklist.checkMany(inputs));
  } catch (error) {
    parentPort!.postMessage(isPortcullisError(error) ? error.code : String(error));
  }
});
parentPort!.postMessage('ready');
