import { stepsTo } from '../file-graph.js';

/** Every file runs once in so many commits, whatever they change. */
export const shareCount = 10;

/** A change of these may change the result of every test. */
const everyTest =
  /^((tools\/\w+\/)?package(-lock)?\.json|tsconfig[.\w]*\.json|(vitest|tsup)\.config\.ts|test\/support\/(global-)?setup\.ts|tools\/(source-alias|build-zod)\.ts)$/;

export interface Choice {
  /** This commit's share. It always runs. */
  readonly share: readonly string[];
  /** The files that the change touches, the nearest to it first. They run until the time is over. */
  readonly touched: readonly string[];
}

/**
 * @param commitCount The number of the commit, which decides its share
 * @param changed The files that the change touches; `null` without a history, when every file counts as touched
 */
export function chooseDeepFiles(
  deepFiles: readonly string[],
  commitCount: number,
  changed: ReadonlySet<string> | null,
  graph: ReadonlyMap<string, ReadonlySet<string>>,
): Choice {
  const turn = commitCount % shareCount;
  const sorted = [...deepFiles].sort();
  const share = sorted.filter((_, at) => at % shareCount === turn);
  // From another place each time, so that it is not always the same files that the deadline leaves out.
  const others = [...sorted.slice(turn), ...sorted.slice(0, turn)].filter((file) => !share.includes(file));
  if (changed === null || [...changed].some((file) => everyTest.test(file))) return { share, touched: others };
  const near = others.map((file) => ({ file, steps: stepsTo(graph, file, changed) }));
  const touched = near.filter(({ steps }) => Number.isFinite(steps)).sort((a, b) => a.steps - b.steps);
  return { share, touched: touched.map(({ file }) => file) };
}
