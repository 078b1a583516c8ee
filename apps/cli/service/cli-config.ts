import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { jsonObjectIn } from '../../shared/json-text.js';
import { UsageError } from '../errors/usage.js';
import { orNull, replaceFile } from '../lists/replace-file.js';

/** Settings that are kept between calls. None is secret. */
export interface Config {
  readonly apiUrl?: string;
  readonly defaultOrg?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export function configDirectory(env: Env): string {
  return env['PORTCULLIS_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'portcullis');
}

/** Where copies of lists are kept, which can be fetched again. */
export function cacheDirectory(env: Env): string {
  return env['PORTCULLIS_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portcullis');
}

export async function readConfig(env: Env): Promise<Config> {
  const { apiUrl, defaultOrg } = await readObject(join(configDirectory(env), 'config.json'));
  return { ...(typeof apiUrl === 'string' && { apiUrl }), ...(typeof defaultOrg === 'string' && { defaultOrg }) };
}

export async function writeConfig(env: Env, change: Config): Promise<void> {
  const file = join(configDirectory(env), 'config.json');
  // Keeps the settings of newer versions.
  await writeObject(file, { ...(await readObject(file)), ...change });
}

export const credentialsFile = (env: Env): string => join(configDirectory(env), 'credentials.json');

/** A key and the only service it is for; `null` if the file names none, in which case it is sent to none. */
export interface StoredKey {
  readonly apiKey: string;
  readonly apiUrl: string | null;
}

/** Tokens in place of a key, from a browser. */
export interface StoredSignIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAtMs: number;
  readonly clientId: string;
  readonly resource: string;
  readonly tokenUrl: string;
  /** Some services cannot end a sign-in. */
  readonly revokeUrl?: string | undefined;
}

export type Credentials = StoredKey | { readonly signIn: StoredSignIn; readonly apiUrl: string };

export async function storedCredentials(env: Env): Promise<Credentials | undefined> {
  const { apiKey, apiUrl, signIn } = await readObject(credentialsFile(env));
  if (typeof apiUrl === 'string' && isSignIn(signIn)) return { signIn, apiUrl };
  if (typeof apiKey !== 'string' || apiKey === '') return undefined;
  return { apiKey, apiUrl: typeof apiUrl === 'string' ? apiUrl : null };
}

function isSignIn(value: unknown): value is StoredSignIn {
  const { expiresAtMs, revokeUrl = 'none', ...texts } = Object(value) as Partial<StoredSignIn>;
  const { accessToken, refreshToken, clientId, resource, tokenUrl } = texts;
  const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
  return typeof expiresAtMs === 'number' && [accessToken, refreshToken, clientId, resource, tokenUrl, revokeUrl].every(isText);
}

export function storeSignIn(env: Env, apiUrl: string, signIn: StoredSignIn): Promise<void> {
  return writeObject(credentialsFile(env), { apiUrl, signIn });
}

export function storeKey(env: Env, key: StoredKey & { readonly apiUrl: string }): Promise<void> {
  return writeObject(credentialsFile(env), key);
}

/** @returns whether a key was stored */
export async function forgetKey(env: Env): Promise<boolean> {
  // A file that cannot be parsed is deleted, too.
  const wasThere = await storedCredentials(env).then(
    (key) => key !== undefined,
    () => true,
  );
  await rm(credentialsFile(env), { force: true });
  return wasThere;
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  const text = await orNull(readFile(file, 'utf8'));
  if (text === null) return {};
  const value = jsonObjectIn(text);
  if (value !== undefined) return value;
  // Without the text, which may contain a key.
  throw new UsageError(`${file} is not a JSON object`, 'fix or delete it');
}

/** Replaces the file as a whole; only its owner can read it. */
async function writeObject(file: string, value: object): Promise<void> {
  const directory = join(file, '..');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, isSynced: true });
}
