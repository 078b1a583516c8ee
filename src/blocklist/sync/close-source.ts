import { type PortcullisError, wrapError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import type { Source } from '../model/source.js';

/** How long to wait for a custom source to close. */
const timeoutMs = 10_000;

/** Never rejects, so that a source that fails or hangs keeps nothing else open. */
export async function closeSource(source: Source, onError: (error: PortcullisError) => void): Promise<void> {
  try {
    await bounded(timeoutMs, undefined, async () => source.close?.());
  } catch (cause) {
    onError(wrapError(cause, 'NETWORK', 'the source could not be closed'));
  }
}
