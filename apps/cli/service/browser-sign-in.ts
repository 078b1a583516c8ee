import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandCall } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import type { StoredSignIn } from './cli-config.js';
import { findSignIn, registerAt, tokensFor } from './sign-in-server.js';

/** As long as the approval page waits. */
const waitMs = 600_000;
const lastAnswerMs = 200;

/** Lets the user approve this command line in a browser, which sends a code to a port of this machine. */
export async function signInBy({ output, env, signal }: CommandCall, apiUrl: string): Promise<StoredSignIn> {
  const server = await findSignIn(apiUrl, signal);
  const state = random();
  const callback = await listenForCode(state, server.issuer);
  try {
    const clientId = await registerAt(server, callback.url, signal);
    const verifier = random();
    const { origin, pathname } = new URL(apiUrl);
    const resource = origin + pathname.replace(/\/$/, '');
    const address = new URL(server.authorizeUrl);
    const question = {
      client_id: clientId,
      redirect_uri: callback.url,
      response_type: 'code',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
      state,
    };
    for (const [name, value] of Object.entries(question)) address.searchParams.set(name, value);
    if (output.format === 'json') {
      await output.item({ action: 'open_url', url: address.href, expires_in: waitMs / 1_000 }, () => []);
    } else {
      output.note('Open this address in a browser on this machine, if it does not open by itself:');
      output.note(address.href);
    }
    openBrowser(address.href, env);
    const code = await callback.code(signal);
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: callback.url };
    const tokens = await tokensFor(server.tokenUrl, { ...fields, code_verifier: verifier, resource }, signal);
    return { ...tokens, clientId, resource, tokenUrl: server.tokenUrl, revokeUrl: server.revokeUrl };
  } finally {
    callback.close();
  }
}

const random = (): string => randomBytes(32).toString('base64url');

interface Callback {
  readonly url: string;
  /** Waits for the browser. */
  code(signal: AbortSignal): Promise<string>;
  close(): void;
}

/** Only a request with the state of this sign-in counts: any page and program on this machine can call the port. */
async function listenForCode(state: string, issuer: string): Promise<Callback> {
  let settle: (answer: URLSearchParams) => void;
  const answered = new Promise<URLSearchParams>((resolve) => (settle = resolve));
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const { pathname, searchParams } = new URL(`http://localhost${request.url?.startsWith('/') ? request.url : '/'}`);
    const isOurs = pathname === '/callback' && searchParams.get('state') === state && searchParams.get('iss') === issuer;
    const text = isOurs ? 'You can close this page and return to the command line.' : 'This is not the answer to a sign-in.';
    response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(text);
    if (isOurs) settle(searchParams);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async code(signal) {
      const late = delay(waitMs, undefined, { signal, ref: false }).catch(() => signal.throwIfAborted());
      const answer = await Promise.race([answered, late]);
      const code = answer?.get('code');
      if (code) return code;
      const what = answer === undefined ? 'the sign-in was not approved in time' : 'the sign-in was denied';
      throw new UsageError(what, 'try again: portcullis login --browser', {
        code: 'UNAUTHORIZED',
        exitCode: exitCodes.authentication,
      });
    },
    close() {
      server.close();
      // The last answer is on its way, and browsers keep connections open.
      setTimeout(() => server.closeAllConnections(), lastAnswerMs);
    },
  };
}

/** Tries to open a browser, without a shell. If there is none, the user has the address. */
function openBrowser(url: string, env: CommandCall['env']): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : [env['BROWSER'] || 'xdg-open'];
  spawn(command!, [...args, url], { detached: true, stdio: 'ignore', env: env as NodeJS.ProcessEnv })
    .on('error', () => {})
    .unref();
}
