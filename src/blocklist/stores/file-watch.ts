/** Polls for commits of other processes while there are listeners. */
export interface FileWatch {
  start(): void;
  stop(): void;
  /** Notes a commit of this process, which needs no report. */
  saw(name: string, sequence: number): void;
}

export function fileWatch(newest: () => Promise<Map<string, number>>, pollMs: number, notify: (name: string) => void): FileWatch {
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** The newest sequences at the last poll. */
  let known = new Map<string, number>();

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    // A folder that cannot be read now is read again later.
    const found = await newest().catch(() => known);
    isLooking = false;
    for (const [name, sequence] of found) if (known.get(name) !== sequence) notify(name);
    known = found;
  }

  return {
    start() {
      if (timer !== undefined) return;
      // The first poll reports every name, so that no commit since the listener's last read is missed.
      known = new Map();
      timer = setInterval(look, pollMs);
      timer.unref();
      void look();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    saw: (name, sequence) => void known.set(name, sequence),
  };
}
