import { toHex, u32ToHex } from '../../core/bytes.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { unusable } from '../../core/http/http-api.js';
import { maxConfirmBytes, readConfirm } from '../formats/confirm-answer.js';
import { algorithmNamed, maxVersionBytes, rawAlgoVersion } from '../formats/version-document.js';
import type { SourceCall } from '../source.js';
import type { ServiceSourceOptions } from '../sources/service-source.js';
import { artifactOf, type DecodePrefixes, versionOf } from '../sources/source-artifact.js';
import { originOf, trustOf } from '../sources/source-options.js';
import { uniqueTokens } from '../sources/unique-tokens.js';
import { again, type Suspicion } from '../sync/shrink.js';
import { decodeLight } from './light-artifact.js';
import { lightAddressOf, lightDownload, lightTextOf, lightTransportOf } from './light-http.js';
import type { LightSource } from './light-options.js';

/** Options of `lightRelaySource`. */
export interface LightRelayOptions
  extends Pick<
    ServiceSourceOptions,
    | 'baseUrl'
    | 'id'
    | 'algorithms'
    | 'allowInsecureHttp'
    | 'publicKeys'
    | 'verifier'
    | 'timeoutMs'
    | 'artifactTimeoutMs'
    | 'fetch'
    | 'now'
  > {
  /** `decodeArtifact` of `portcullis/assets`, for files that are not containers. @default containers only */
  readonly decode?: DecodePrefixes | undefined;
}

/**
 * The list of a relay, for a light list in a browser. It sends no key: a page cannot keep one.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function lightRelaySource(options: LightRelayOptions): LightSource {
  const { baseUrl, id = 'service', algorithms = {}, decode = decodeLight } = options;
  const { href, mayFetch } = lightAddressOf(baseUrl, options.allowInsecureHttp);
  const trust = trustOf(options);
  const transport = { ...lightTransportOf(options), mayFetch };
  let writesNumbers: boolean | undefined;
  /** What is accepted once it has come often enough: a smaller snapshot, and a version that came back. */
  const doubts: { shrunk: Suspicion | null; back: Suspicion | null } = { shrunk: null, back: null };

  function isAccepted(doubt: keyof typeof doubts, token: string, digest: string): boolean {
    doubts[doubt] = again(doubts[doubt], token, digest, transport.now());
    return doubts[doubt] === null;
  }

  async function call(path: string, maxBytes: number, signal: SourceCall['signal'], body?: object): Promise<unknown> {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const init = body === undefined ? { cache: 'no-cache' } : { method: 'POST', headers, body: JSON.stringify(body) };
    const limits = { artifactTimeoutMs: transport.timeoutMs, maxBytes };
    const { bytes } = await lightDownload(href + path, { ...transport, ...limits, init, signal });
    try {
      return JSON.parse(lightTextOf(bytes));
    } catch {
      throw unusable('is not JSON');
    }
  }

  const version: LightSource['version'] = async ({ signal }) => {
    const answer = await call('/asset/blocklist/version', maxVersionBytes, signal);
    const document = versionOf(answer, mayFetch);
    writesNumbers = typeof rawAlgoVersion(answer) === 'number';
    return trust === undefined ? document : trust.open(answer, document);
  };

  return {
    id,
    algorithms,
    origin: originOf(href, trust),
    ...(trust !== undefined && { trustedKeys: trust.ids }),
    tokenHistory: {
      next: uniqueTokens.next,
      isBack(seen, held, offered) {
        const { snapshotToken, recentToken } = offered;
        return uniqueTokens.isBack(seen, held, offered) && !isAccepted('back', snapshotToken, recentToken ?? '');
      },
    },
    acceptsShrunk: (token, bytes) => isAccepted('shrunk', token, toHex(sha256(bytes))),
    version,
    artifact: (part, listed, artifactCall) =>
      artifactOf(part, listed, algorithmNamed(listed.algoVersion, algorithms), transport, artifactCall, {
        decode,
        download: lightDownload,
      }),
    async confirm(prefixes, { algoVersion, signal }) {
      // The list came from the store. Falls back to text if the relay does not answer.
      if (writesNumbers === undefined) await version({ signal }).catch(() => {});
      const spelled = writesNumbers && String(Number(algoVersion)) === algoVersion ? Number(algoVersion) : algoVersion;
      const body = { algoVersion: spelled, prefixes: prefixes.map(u32ToHex) };
      return { hashes: readConfirm(await call('/asset/blocklist/confirm', maxConfirmBytes, signal, body), prefixes) };
    },
  };
}
