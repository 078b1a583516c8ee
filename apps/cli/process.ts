import { exitCodes } from './errors/exit-codes.js';
import { interrupted, UsageError } from './errors/usage.js';
import { main } from './main.js';

/** Runs the command of this process, and exits with its code. */
export async function runProcess(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  const controller = new AbortController();
  let interrupts = 0;
  const interrupt = (): void => {
    interrupts++;
    // The second Ctrl-C does not wait.
    if (interrupts > 1) process.exit(exitCodes.interrupted);
    controller.abort(interrupted());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  // The reader disconnected, or a disk is full. No more output can be written, so the work stops.
  let outputError: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputError ??= error;
    controller.abort(new UsageError('the output cannot be written', undefined, { code: 'OUTPUT_ENDED' }));
  });
  stderr.on('error', () => {});
  const code = await main(argv.slice(2), { stdin, stdout, stderr, env }, controller.signal);
  stdin.destroy();
  // Exits once everything is written to a pipe, without waiting for handles that a library left open.
  stdout.write('', () => {
    if (outputError === undefined) process.exit(code);
    if (outputError.code === 'EPIPE') process.exit(exitCodes.ok);
    stderr.write(`portcullis: the output cannot be written [${outputError.code}]\n`, () => process.exit(exitCodes.unexpected));
  });
}
