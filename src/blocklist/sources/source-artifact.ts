import { PortcullisError, refuse } from '../../core/errors.js';
import { isPage } from '../../core/http/html-page.js';
import { unusable } from '../../core/http/http-api.js';
import { maxArtifactBytesOf } from '../../core/limits.js';
import { decodeArtifact } from '../../core/prefixes/artifact.js';
import { type ArtifactRef, readVersion, type VersionDocument } from '../formats/version-document.js';
import type { Artifact, ArtifactCall, ListVersion } from '../source.js';
import { type DownloadOptions, download } from './download.js';

/**
 * The version document of an answer. One that names a file where none is fetched from is refused as a whole: what it says of the rest is
 * worth no more.
 *
 * @param base The folder that relative addresses are below.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function versionOf(answer: unknown, mayFetch: (url: string) => boolean, base?: string): VersionDocument {
  const document = readVersion(answer, base);
  if ([document.snapshot, document.recent].every(({ url }) => mayFetch(url))) return document;
  throw unusable('names a file where none is fetched from');
}

/** Fetches the part a version document names, and verifies it against that. */
export async function artifactOf(
  part: 'snapshot' | 'recent',
  version: ListVersion,
  algorithm: string,
  transport: Omit<DownloadOptions, 'bytesMax'>,
  { signal, onProgress }: ArtifactCall,
): Promise<Artifact> {
  const { count, sha256, url } = requireRef(version[part]);
  const { bytes } = await download(url, { ...transport, bytesMax: maxArtifactBytesOf(count), signal, onProgress });
  requireNoPage(bytes);
  return { entries: await decodeArtifact(bytes, { count, sha256, algorithm }, { signal }), isProven: sha256 !== undefined };
}

/** A login in between answers everything with itself, and a short page can be a list in some encoding. */
export function requireNoPage(bytes: Uint8Array): void {
  if (isPage(bytes)) throw new PortcullisError('INVALID_ARTIFACT', 'it is a page, not a list: a login may stand between');
}

/** A version of another source has no address. */
function requireRef(part: object | undefined): ArtifactRef {
  const { url } = (part ?? {}) as Partial<ArtifactRef>;
  if (typeof url !== 'string') refuse('the version is none of this source');
  return part as ArtifactRef;
}
