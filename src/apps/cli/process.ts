import { exitCodes } from './errors/exit.js';
import { UsageError } from './errors/usage.js';
import { main } from './main.js';

/** Runs what was typed, and ends the process with its code. */
export async function runProcess(): Promise<void> {
  const { stdin, stdout, stderr, env, argv } = process;
  const controller = new AbortController();
  let interrupts = 0;
  const interrupt = (): void => {
    interrupts++;
    // Whoever presses it again does not want to wait.
    if (interrupts > 1) process.exit(exitCodes.interrupted);
    controller.abort(new UsageError('interrupted', undefined, { code: 'INTERRUPTED', exitCode: exitCodes.interrupted }));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', interrupt);
  // Nobody reads any more, or a disk is full: what is left to say is said to nobody, and the work ends.
  let outputError: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputError ??= error;
    controller.abort(new UsageError('the output cannot be written', undefined, { code: 'OUTPUT_ENDED' }));
  });
  stderr.on('error', () => {});
  const code = await main(argv.slice(2), { stdin, stdout, stderr, env }, controller.signal);
  stdin.destroy();
  // Without this, what is still being written to a pipe would be lost. What a library left open must not keep us.
  stdout.write('', () => {
    if (outputError === undefined) process.exit(code);
    if (outputError.code === 'EPIPE') process.exit(exitCodes.ok);
    stderr.write(`portcullis: the output cannot be written [${outputError.code}]\n`, () => process.exit(exitCodes.unexpected));
  });
}
