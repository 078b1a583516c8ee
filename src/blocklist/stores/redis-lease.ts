import { globals } from '../../core/http/fetch.js';
import type { Command } from './redis-client.js';
import type { Acquire, Release } from './shared-lock.js';

/** The longest lease. */
export const maxLeaseMs = 60_000;

/** Renewals of a holder within `leaseMs`. */
const renewalsPerLease = 5;

/** Attempts of a waiter within `leaseMs`. */
const attemptsPerLease = 20;

/** Also takes the lease again if it was lost with the server's memory, unless another process has it. */
const renewScript = `local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * Makes a key expire that never would, because something else wrote it, or would outlive every lease: waiters would wait for it in every
 * round.
 */
const repairScript = `local leftMs = redis.call('PTTL', KEYS[1])
if leftMs == -1 or leftMs > ${maxLeaseMs} then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1`;

const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

/**
 * A lock between processes: a key that expires unless its holder renews it. Only the server's clock counts. A holder that slept longer
 * than its lease may find another one beside it, which `commit` allows for.
 */
export function leaseOf(command: Command, key: string, leaseMs: number): Acquire {
  return async (pause) => {
    const token = `${Math.random()}${Math.random()}`;
    for (let attempt = 0; (await command('SET', key, token, 'NX', 'PX', String(leaseMs))) === null; attempt++) {
      // Without the right to do this, a healthy lease still works.
      if (attempt === 0) await command('EVAL', repairScript, '1', key, String(leaseMs)).catch(() => {});
      await pause((leaseMs / attemptsPerLease) * (0.5 + Math.random()));
    }
    return renewing(command, key, token, leaseMs);
  };
}

function renewing(command: Command, key: string, token: string, leaseMs: number): Release {
  let timer: unknown;
  let isReleased = false;

  function plan(): void {
    timer = globals.setTimeout(async () => {
      // A failed renewal counts as a missed one.
      await command('EVAL', renewScript, '1', key, token, String(leaseMs)).catch(() => {});
      if (!isReleased) plan();
    }, leaseMs / renewalsPerLease);
    (timer as { unref?: () => void }).unref?.();
  }

  plan();
  return async () => {
    isReleased = true;
    globals.clearTimeout(timer);
    // If this fails, the lease expires, and others wait a little longer.
    await command('EVAL', releaseScript, '1', key, token).catch(() => {});
  };
}
