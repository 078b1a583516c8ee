import { join } from 'node:path';
import { writeJsrPackage } from '../jsr-package.js';
import { runProcess } from './bounded-process.js';

/**
 * Lets Deno check what would be published at JSR, with its types.
 *
 * @returns What is wrong; empty if nothing is
 */
export async function jsrFault(consumer: string, scratch: string, deno: string): Promise<string> {
  writeJsrPackage(join(consumer, 'node_modules/portcullis'), scratch);
  try {
    const { output, errors } = await runProcess(deno, ['publish', '--dry-run', '--allow-dirty'], {
      cwd: scratch,
      isTrusted: true,
    });
    return `${output}${errors}`.includes('warning[') ? `${output}${errors}` : '';
  } catch (error) {
    return String(error);
  }
}
