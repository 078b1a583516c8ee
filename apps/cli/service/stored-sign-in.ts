import { UsageError } from '../errors/usage.js';
import { credentialsFile, forgetKey, type StoredSignIn, storedCredentials, storeSignIn } from './cli-config.js';
import { lockedBy } from './folder-lock.js';
import { requestMs, revoke, tokensFor } from './sign-in-server.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Before its end, so that a slow request still counts. */
const earlyMs = 60_000;

/** The access token of the stored sign-in, renewed when it is about to end. */
export async function currentToken(env: Env): Promise<string> {
  const { signIn } = await stored(env);
  if (isFresh(signIn)) return signIn.accessToken;
  // One process renews at a time: a second use of a refresh token would end the sign-in.
  return locked(env, async () => {
    const { apiUrl, signIn: latest } = await stored(env);
    if (isFresh(latest)) return latest.accessToken;
    const { refreshToken, clientId, resource, tokenUrl } = latest;
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource };
    const tokens = await tokensFor(tokenUrl, fields, AbortSignal.timeout(requestMs));
    await storeSignIn(env, apiUrl, { ...latest, ...tokens });
    return tokens.accessToken;
  });
}

/** Whether the service confirmed that the sign-in was revoked; if not, when its access token expires. */
export interface EndedSignIn {
  readonly isRevoked: boolean;
  readonly expiresAtMs: number;
}

/** Ends the stored sign-in at its service, and deletes it either way. `null` if there is none. */
export async function endSignIn(env: Env): Promise<EndedSignIn | null> {
  const signInNow = async (): Promise<StoredSignIn | undefined> => {
    // A file that cannot be parsed has no sign-in to end.
    const credentials = await storedCredentials(env).catch(() => undefined);
    return credentials !== undefined && 'signIn' in credentials ? credentials.signIn : undefined;
  };
  if ((await signInNow()) === undefined) return null;
  // A renewal at the same time would store new tokens.
  return locked(env, async () => {
    const signIn = await signInNow();
    if (signIn === undefined) return null;
    const isRevoked = await revoke(signIn);
    await forgetKey(env);
    return { isRevoked, expiresAtMs: signIn.expiresAtMs };
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

function locked<T>(env: Env, work: () => Promise<T>): Promise<T> {
  return lockedBy(`${credentialsFile(env)}.lock`, work);
}
