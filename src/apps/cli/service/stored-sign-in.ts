import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../errors/usage.js';
import { credentialsFile, type StoredSignIn, storedCredentials, storeSignIn } from './cli-config.js';
import { requestMs, tokensFor } from './sign-in-server.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Before its end, so that a slow request still counts. */
const earlyMs = 60_000;
/** A lock this old is one of a process that was killed. */
const staleLockMs: number = 2 * requestMs;
const lockPollMs = 50;

/** The access token of the stored sign-in, renewed when it is about to end. */
export async function currentToken(env: Env): Promise<string> {
  const { signIn } = await stored(env);
  if (isFresh(signIn)) return signIn.accessToken;
  // One process renews at a time: a second use of a refresh token would end the sign-in.
  return locked(`${credentialsFile(env)}.lock`, async () => {
    const { apiUrl, signIn: latest } = await stored(env);
    if (isFresh(latest)) return latest.accessToken;
    const { refreshToken, clientId, resource, tokenUrl } = latest;
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource };
    const tokens = await tokensFor(tokenUrl, fields, AbortSignal.timeout(requestMs));
    await storeSignIn(env, apiUrl, { ...latest, ...tokens });
    return tokens.accessToken;
  });
}

const isFresh = ({ expiresAtMs }: StoredSignIn): boolean => expiresAtMs - Date.now() > earlyMs;

async function stored(env: Env) {
  const credentials = await storedCredentials(env);
  if (credentials === undefined || !('signIn' in credentials)) {
    throw new UsageError('the sign-in was deleted meanwhile', 'sign in again: portcullis login --browser');
  }
  return credentials;
}

async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await (await open(file, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = await stat(file).catch(() => null);
      if (since !== null && Date.now() - since.mtimeMs > staleLockMs) await rm(file, { force: true });
      else await delay(lockPollMs);
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
