import type { WriteStream } from 'node:tty';

/** In a log, a line this often shows that a question has not stopped. */
const logStepMs = 10_000;

/** The step that a question is at: one line that changes on a terminal, a line every few seconds in a log. */
export class Progress {
  readonly #stream: Pick<WriteStream, 'write' | 'isTTY'>;
  readonly #place: string;
  readonly #startMs = performance.now();
  #shownMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(stream: Pick<WriteStream, 'write' | 'isTTY'>, place: string) {
    this.#stream = stream;
    this.#place = place;
  }

  elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  show(step: string): void {
    const line = `[${this.#place}, ${(this.elapsedMs() / 1_000).toFixed(0)} s] ${step}`;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[K${line}`);
      this.#isShown = true;
      return;
    }
    if (performance.now() - this.#shownMs < logStepMs) return;
    this.#shownMs = performance.now();
    this.#stream.write(`${line}\n`);
  }

  end(): void {
    if (this.#isShown) this.#stream.write('\r\x1b[K');
  }
}
