import { fileURLToPath } from 'node:url';
import { ensurePrograms, findProgram, type Wanted } from './find-program.js';

const redis: Wanted = { names: ['redis-server', 'valkey-server'], variable: 'REDIS_PATH', debian: 'redis-server' };

/** The Redis or Valkey of the deep tests. */
export function findRedis(): string | undefined {
  return findProgram(redis);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensurePrograms([redis]);
