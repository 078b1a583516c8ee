import { expect, onTestFinished, test, vi } from 'vitest';
import { headWatch } from '../../../src/blocklist/stores/head-watch.js';

/** A store whose heads are set by hand, and what its watch has reported since the last call of `reported`. */
function watched(pollMs: number) {
  const marks = new Map<string, unknown>();
  let names: string[] = [];
  const watch = headWatch(
    async () => new Map(marks),
    pollMs,
    (name) => void names.push(name),
  );
  onTestFinished(() => watch.stop());
  const reported = (): string[] => {
    const before = names.sort();
    names = [];
    return before;
  };
  return { marks, watch, reported };
}

test('reports every head at first, then those that changed, appeared or vanished, and none that its own store wrote', async () => {
  const { marks, watch, reported } = watched(60_000);
  marks.set('one', 1).set('two', 1).set('three', 1);
  watch.start();
  await vi.waitFor(() => expect(reported()).toEqual(['one', 'three', 'two']));
  await watch.look();
  expect(reported()).toEqual([]);
  marks.set('one', 2).set('four', 1).delete('three');
  await watch.look();
  expect(reported()).toEqual(['four', 'one', 'three']);
  marks.set('two', 2);
  watch.saw('two', 2);
  await watch.look();
  expect(reported()).toEqual([]);
});

test('looks at its interval until it is stopped, also while a look is under way', async () => {
  const { marks, watch, reported } = watched(10);
  watch.start();
  watch.start();
  for (let mark = 1; mark <= 3; mark++) {
    marks.set('one', mark);
    await vi.waitFor(() => expect(reported()).toEqual(['one']));
  }
  await Promise.all([watch.look(), watch.look(), watch.look()]);
  watch.stop();
  marks.set('one', 4);
  await watch.look();
  expect(reported()).toEqual([]);
});
