import { PortcullisError } from '../../core/errors.js';
import { isPage } from '../../core/http/html-page.js';
import { unusable } from '../../core/http/http-api.js';
import { maxArtifactBytesOf } from '../../core/limits.js';
import { decodeArtifact } from '../../core/prefixes/artifact.js';
import type { PrefixSet, WorkOptions } from '../../core/prefixes/prefix-set.js';
import { type ArtifactRef, readVersion, type VersionDocument } from '../formats/version-document.js';
import type { Artifact, ArtifactCall, ListVersion } from '../model/source.js';
import type { Download, DownloadOptions } from './download.js';
import { refuseForeignVersion } from './source-options.js';

/**
 * Parses the version document of an answer. A document with a URL that must not be fetched is rejected as a whole.
 *
 * @param base The folder that relative URLs are resolved against.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function versionOf(answer: unknown, mayFetch: (url: string) => boolean, base?: string): VersionDocument {
  const document = readVersion(answer, base);
  const { hot, ...rest } = document;
  if (![document.snapshot, document.recent].every(({ url }) => mayFetch(url)))
    throw unusable('has a file URL that must not be fetched');
  // Hits can be confirmed without it.
  return hot === undefined || mayFetch(hot.url) ? document : rest;
}

/** Decodes a file: `decodeArtifact`, or less of it. */
export type DecodePrefixes = (
  bytes: Uint8Array,
  expectation: { readonly count: number; readonly sha256?: string | undefined; readonly algorithm: string },
  options: WorkOptions,
) => Promise<PrefixSet>;

/** Files in any encoding. */
export const decodeAny: DecodePrefixes = async (bytes, expected, options) => {
  requireNoPage(bytes);
  return decodeArtifact(bytes, expected, options);
};

/** How files are fetched and decoded. */
export interface ArtifactParts {
  readonly decode: DecodePrefixes;
  readonly download: Download;
}

/** Downloads a part of the list and verifies it against its version document. */
export async function artifactOf(
  part: 'snapshot' | 'recent',
  version: ListVersion,
  algorithm: string,
  transport: Omit<DownloadOptions, 'maxBytes'>,
  { signal, onProgress }: ArtifactCall,
  { decode, download }: ArtifactParts,
): Promise<Artifact> {
  const { count, sha256, url } = requireRef(version[part]);
  const { bytes } = await download(url, { ...transport, maxBytes: maxArtifactBytesOf(count), signal, onProgress });
  return { entries: await decode(bytes, { count, sha256, algorithm }, { signal }), isProven: sha256 !== undefined };
}

/** A captive portal answers every request with its login page, and a short page may decode as a list. */
export function requireNoPage(bytes: Uint8Array): void {
  if (isPage(bytes)) throw new PortcullisError('INVALID_ARTIFACT', 'the file is an HTML page, perhaps a login page');
}

function requireRef(part: object | undefined): ArtifactRef {
  const { url } = (part ?? {}) as Partial<ArtifactRef>;
  if (typeof url !== 'string') refuseForeignVersion();
  return part as ArtifactRef;
}
