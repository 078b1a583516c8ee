import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortcullisError } from '../../../core/errors.js';

/** How long a lock may say nothing, in milliseconds: it is made and written in one go, yet not in one step. */
const lockUnwrittenMs = 100;

export type Release = () => Promise<void>;

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  /** When the process began, where that can be told: in a container the next one has the same number. */
  readonly began: string;
  readonly token: string;
}

/** Keeps everybody else on this machine away from `what`, until it is released or this process ends. */
export async function lock(path: string, what: string): Promise<Release> {
  const holder: Holder = { pid: process.pid, began: await beganOf(process.pid), token: randomUUID() };
  const text = JSON.stringify(holder);
  for (;;) {
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
      return async () => {
        if ((await readFile(path, 'utf8').catch(orMissing)) === text) await rm(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await requireStale(path, what);
    // Of two who find it stale, one would remove what the other has just made; so only who holds this lock's lock removes it.
    const unlock = await lock(`${path}.lock`, what);
    try {
      await requireStale(path, what);
      await rm(path, { force: true });
    } finally {
      await unlock();
    }
  }
}

async function requireStale(path: string, what: string): Promise<void> {
  let holder = await holderOf(path);
  if (holder === null) {
    await sleep(lockUnwrittenMs);
    holder = await holderOf(path);
  }
  if (holder !== null && (await isRunning(holder))) {
    const { pid } = holder;
    throw new PortcullisError(
      'CONFLICT',
      `the state in ${what} is in use by process ${pid}; if that is no service, remove ${path}`,
    );
  }
}

/** `null` where nobody can be told. */
async function holderOf(path: string): Promise<Holder | null> {
  const text = await readFile(path, 'utf8').catch(orMissing);
  try {
    const holder = JSON.parse(text ?? '') as Holder | null;
    return Number.isInteger(holder?.pid) && holder!.pid > 0 ? holder : null;
  } catch {
    return null;
  }
}

async function isRunning({ pid, began }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error tells of a process that is not ours to signal.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const begins = await beganOf(pid);
  return began === '' || begins === '' || begins === began;
}

/** On Linux the boot and the tick a process began in; elsewhere nothing. */
async function beganOf(pid: number): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name, which may have blanks in it; this begins behind it.
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    // Killed and not yet collected by its parent, it can still be signalled.
    return fields[1] === 'Z' ? 'ended' : `${boot.trim()} ${fields[20]}`;
  } catch {
    return '';
  }
}

export function orMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
