import { globals } from '../../core/http/fetch.js';

/** Looks for commits of other processes while there are listeners. */
export interface HeadWatch {
  start(): void;
  stop(): void;
  /** Looks at once, because something may have changed. */
  look(): Promise<void>;
  /** Notes a commit of this process, which needs no report. */
  saw(name: string, mark: unknown): void;
}

/** Share by which the interval varies, so that processes that started together do not look together. */
const jitter = 0.2;

/** @param marks Something about each head that changes with it, by name. */
export function headWatch(
  marks: () => Promise<ReadonlyMap<string, unknown>>,
  pollMs: number,
  notify: (name: string) => void,
): HeadWatch {
  let timer: unknown;
  let isOn = false;
  let isLooking = false;
  let mustLookAgain = false;
  /** The marks at the last look. */
  let known = new Map<string, unknown>();

  function plan(): void {
    timer = globals.setTimeout(
      () => {
        plan();
        void look();
      },
      pollMs * (1 - jitter + 2 * jitter * Math.random()),
    );
    (timer as { unref?: () => void }).unref?.();
  }

  async function look(): Promise<void> {
    mustLookAgain = isLooking;
    if (isLooking || !isOn) return;
    isLooking = true;
    // A store that cannot be read now is read again later.
    const found = await marks().catch(() => known);
    isLooking = false;
    if (!isOn) return;
    // A head that vanished is reported too, because the store may have been emptied.
    for (const name of new Set([...known.keys(), ...found.keys()])) if (known.get(name) !== found.get(name)) notify(name);
    known = new Map(found);
    if (mustLookAgain) await look();
  }

  return {
    start() {
      if (isOn) return;
      isOn = true;
      // The first look reports every name, so that no commit since the listener's last read is missed.
      known = new Map();
      plan();
      void look();
    },
    stop() {
      isOn = false;
      globals.clearTimeout(timer);
    },
    look,
    saw: (name, mark) => void known.set(name, mark),
  };
}
