/** Runs the work on each name one after the other, in call order. Work on different names overlaps. */
export function inTurnByName(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = tails.get(name);
    const result = before === undefined ? work() : before.then(work, work);
    tails.set(name, result);
    try {
      return await result;
    } finally {
      if (tails.get(name) === result) tails.delete(name);
    }
  };
}
