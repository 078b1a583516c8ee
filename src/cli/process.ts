import { exitCodes } from './exit.js';
import { main } from './main.js';
import { UsageError } from './usage.js';

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
  // Nobody reads any more: what is left to say is said to nobody, and the work ends.
  let isRead = true;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isRead = false;
    controller.abort(new UsageError('nobody reads the output', undefined, { code: 'PIPE_CLOSED', exitCode: exitCodes.ok }));
  });
  stderr.on('error', () => {});
  const code = await main(argv.slice(2), { stdin, stdout, stderr, env }, controller.signal);
  // Without `process.exit`: what is still being written to a pipe would be lost. What a library left open must not keep us.
  process.exitCode = isRead ? code : exitCodes.ok;
  stdin.destroy();
  if (stdout.writableLength === 0) process.exit();
  stdout.once('drain', () => process.exit());
}
