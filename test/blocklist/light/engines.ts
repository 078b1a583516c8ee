import type { Blocklist } from 'portcullis';
import { createLightBlocklist, type LightOptions } from 'portcullis/light';

/** The two engines, which must give the same verdicts. */
export type Engine = 'full' | 'light';
export const engines: readonly Engine[] = ['full', 'light'];

/** A light list in the form of a blocklist with one source, with what both have. */
export function lightBlocklist(options: LightOptions): Blocklist {
  const light = createLightBlocklist(options);
  const has = {
    ...light,
    sync: async (call?: Parameters<typeof light.sync>[0]) => {
      const result = await light.sync(call);
      return { ...result, sources: [result] };
    },
    status: () => ({ sources: [light.status()] }),
  };
  return has as unknown as Blocklist;
}
