/**
 * Maps items with up to `max` pieces of work at a time, and yields the results in the order of the items. Reads no further ahead, so that a
 * slow consumer slows the source. A failure arrives in its turn, after every earlier result.
 */
export async function* inOrder<From, To>(
  items: AsyncIterable<From>,
  max: number,
  work: (item: From) => Promise<To>,
): AsyncGenerator<To> {
  const iterator = items[Symbol.asyncIterator]();
  const running: Promise<To>[] = [];
  let reading: Promise<IteratorResult<From>> | null = null;
  try {
    for (let isEnded = false; !isEnded || running.length > 0; ) {
      const [first] = running;
      if (!isEnded && running.length < max) {
        reading ??= iterator.next();
        reading.catch(() => {});
        const step = await (first === undefined ? reading : Promise.race([first.then(nothing, nothing), reading.catch(nothing)]));
        if (step !== null) {
          reading = null;
          if (step.done) isEnded = true;
          else running.push(handled(work(step.value)));
          continue;
        }
      }
      // A read that failed is awaited again when nothing runs.
      yield await running.shift()!;
    }
  } finally {
    // Not awaited, because the input may never end.
    void iterator.return?.().catch(() => {});
  }
}

function nothing(): null {
  return null;
}

/** A rejection is reported in its turn. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
