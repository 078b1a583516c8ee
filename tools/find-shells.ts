import { fileURLToPath } from 'node:url';
import { ensurePrograms, findProgram, type Wanted } from './find-program.js';

const shells = {
  zsh: { names: ['zsh'], variable: 'ZSH_PATH', debian: 'zsh' },
  fish: { names: ['fish'], variable: 'FISH_PATH', debian: 'fish' },
} satisfies Record<string, Wanted>;

/** A shell in which the deep tests try the completions. */
export function findShell(name: keyof typeof shells): string | undefined {
  return findProgram(shells[name]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensurePrograms(Object.values(shells));
