import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { publishedSource } from 'portcullis/sources';
import { temporaryFolder } from './in-process.js';

export interface PublishFolder {
  /** A folder that does not exist yet. */
  readonly out: string;
  /** Writes a list. @returns its path */
  file(name: string, text: string): string;
}

/** A folder for lists, and for their published files. */
export function publishFolder(folder: string = temporaryFolder()): PublishFolder {
  return {
    out: join(folder, 'out'),
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

/** The verdicts of a client of a static host that serves the folder. */
export async function verdictsIn(out: string, inputs: readonly string[]): Promise<string[]> {
  const fetch = async (url: string): Promise<Response> => {
    try {
      return new Response(readFileSync(join(out, new URL(url).pathname)));
    } catch {
      return new Response(null, { status: 404 });
    }
  };
  const sources = [publishedSource({ url: 'https://lists.example', fetch })];
  const blocklist = createBlocklist({ sources, pollMs: 0, deadlineMs: 60_000 });
  try {
    await blocklist.ready();
    return (await blocklist.checkMany(inputs)).map(({ status }) => status);
  } finally {
    await blocklist.close();
  }
}
