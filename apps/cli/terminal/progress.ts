import { printOver } from './print.js';
import { columnsOf, type Stream } from './terminal.js';

/** The progress of long work: one terminal line that is overwritten, and erased at the end. */
export interface Progress {
  /** Shows a bar, or a count if there is no total. */
  update(done: number, total?: number | null, note?: string): void;
  /** Erases the line until the next update. */
  pause(): void;
  end(): void;
}

/** More frequent updates would slow down the work, and would not be visible. */
const everyMs = 100;
const barWidth = 24;

const silent: Progress = { update() {}, pause() {}, end() {} };

export function startProgress(stream: Stream, label: string, isSilent: boolean): Progress {
  if (isSilent) return silent;
  let shownMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = (): void => {
    if (isShown) void printOver(stream, '');
    isShown = false;
  };
  return {
    update: (done, total, note = '') => {
      const nowMs = performance.now();
      if (nowMs - shownMs < everyMs && done !== total) return;
      shownMs = nowMs;
      const width = columnsOf(stream) - 1;
      const line = `${label} ${total ? bar(done / total) : done.toLocaleString('en')}${note && ` ${note}`}`;
      void printOver(stream, line.slice(0, width));
      isShown = true;
    },
    pause: clear,
    end: clear,
  };
}

function bar(share: number): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * barWidth);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${String(Math.floor(Math.min(share, 1) * 100)).padStart(3)} %`;
}
