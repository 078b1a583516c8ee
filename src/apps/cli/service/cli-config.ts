import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../errors/usage.js';

/** What is kept between calls, and nothing of it secret. */
export interface Config {
  readonly apiUrl?: string;
  readonly defaultOrg?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export function configDirectory(env: Env): string {
  return env['PORTCULLIS_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'portcullis');
}

/** Where copies of lists are kept; they can be fetched again. */
export function cacheDirectory(env: Env): string {
  return env['PORTCULLIS_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portcullis');
}

export async function readConfig(env: Env): Promise<Config> {
  const { apiUrl, defaultOrg } = await readObject(join(configDirectory(env), 'config.json'));
  return { ...(typeof apiUrl === 'string' && { apiUrl }), ...(typeof defaultOrg === 'string' && { defaultOrg }) };
}

export async function writeConfig(env: Env, change: Config): Promise<void> {
  const file = join(configDirectory(env), 'config.json');
  // What a newer version keeps there stays.
  await writeObject(file, { ...(await readObject(file)), ...change });
}

const credentialsOf = (env: Env): string => join(configDirectory(env), 'credentials.json');

/** A key, and the only service it is for; `null` where nobody said which. */
export interface StoredKey {
  readonly apiKey: string;
  readonly apiUrl: string | null;
}

/** The stored key, which others on the machine must not be able to read. */
export async function storedKey(env: Env): Promise<StoredKey | undefined> {
  const { apiKey, apiUrl } = await readObject(credentialsOf(env));
  if (typeof apiKey !== 'string' || apiKey === '') return undefined;
  return { apiKey, apiUrl: typeof apiUrl === 'string' ? apiUrl : null };
}

export function storeKey(env: Env, key: StoredKey): Promise<void> {
  return writeObject(credentialsOf(env), key);
}

/** Whether there was one. */
export async function forgetKey(env: Env): Promise<boolean> {
  // One that cannot be read is forgotten as well.
  const wasThere = await storedKey(env).then(
    (key) => key !== undefined,
    () => true,
  );
  await rm(credentialsOf(env), { force: true });
  return wasThere;
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw cause;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, without the text: it may hold a key.
  }
  throw new UsageError(`${file} is no JSON object`, 'mend it, or delete it');
}

/** Whole or not at all, and for its owner's eyes. */
async function writeObject(file: string, value: object): Promise<void> {
  const directory = join(file, '..');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  // A file that was left behind keeps its mode.
  await chmod(temporary, 0o600);
  await rename(temporary, file);
}
