/** Imports each file given, one after another, and sends what it printed, or why it failed, to the parent. */
import { setTimeout as wait } from 'node:timers/promises';

const maxOpenMs = 30_000;
const pollMs = 5;

let output = '';
const { write } = process.stdout;
process.stdout.write = (text, ...rest) => {
  output += text;
  return write.call(process.stdout, text, ...rest);
};

const before = process.getActiveResourcesInfo().length;

/** A snippet may print after its last line; in a process of its own it ends when no handle is open. */
async function ended() {
  for (let waitedMs = 0; process.getActiveResourcesInfo().length > before; waitedMs += pollMs) {
    if (waitedMs > maxOpenMs) throw new Error(`the snippet leaves open: ${process.getActiveResourcesInfo().join(', ')}`);
    await wait(pollMs);
  }
}

for (const file of process.argv.slice(2)) {
  output = '';
  let error;
  try {
    await import(file);
    await ended();
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.stack : String(thrown);
  }
  process.send({ file, output, error });
}
process.disconnect();
