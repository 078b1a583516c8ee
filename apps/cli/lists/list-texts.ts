import { isPortcullisError, PortcullisError } from 'portcullis';
import type { ListText } from 'portcullis/publish';
import type { CommandCall } from '../command.js';
import { errorText } from '../errors/error-text.js';
import { readingOf } from './list-options.js';
import { openListText } from './open-file.js';
import { shownPlace } from './open-list.js';

/** Opens lists one after the other for a build, and names the one that is being read in its error. */
export async function withTexts<T>(
  call: CommandCall,
  places: readonly string[],
  build: (texts: AsyncIterable<ListText>) => Promise<T>,
): Promise<T> {
  let reading: string | undefined;
  async function* texts(): AsyncGenerator<ListText> {
    for (const place of places) {
      reading = shownPlace(place);
      const { pieces } = await openListText(place, call);
      yield { ...readingOf(call, place), data: pieces, ...((places.length > 1 || place !== '-') && { name: reading }) };
    }
    reading = undefined;
  }
  try {
    return await build(texts());
  } catch (error) {
    if (reading === undefined || reading === '-' || !isPortcullisError(error)) throw error;
    const { code, status, retryAfterMs } = error;
    throw new PortcullisError(code, errorText(error, reading), { status, retryAfterMs, cause: error });
  }
}
