import { type ClientOptions, createClient } from 'portcullis/client';
import type { Recorded } from '../../support/scripted-server.js';
import { connect, type Entry, type Scene, type Script } from './client-harness.js';

type Call = (input?: object, options?: object) => Promise<unknown>;

/** A client without types, for calls by name and for inputs that the types reject. */
export type Loose = Readonly<Record<string, Readonly<Record<string, Call>>>> & {
  request: (name: string, input?: object, options?: object) => Promise<unknown>;
};

/** A client whose address has a path. */
export async function connectLoose(
  script: Script,
  options: Partial<ClientOptions> = {},
  entry: Entry = { createClient },
): Promise<Scene & { readonly loose: Loose }> {
  const scene = await connect(
    { createClient: (given) => entry.createClient({ ...given, baseUrl: `${given.baseUrl}/v2` }) },
    script,
    options,
  );
  return { ...scene, loose: scene.client as unknown as Loose };
}

export const jsonOf = ({ body }: Recorded): unknown => JSON.parse(body.toString());
