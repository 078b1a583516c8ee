import { logSignerOf } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { ed25519 } from '../../../src/blocklist/signatures/ed25519.js';
import { openCheckpoint, writeCheckpoint } from '../../../src/core/tlog/checkpoint.js';
import { readLogProof, writeLogProof } from '../../../src/core/tlog/log-proof.js';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  nodesOf,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/core/tlog/merkle.js';
import { readNoteKey, signatureLine, writeNote } from '../../../src/core/tlog/note.js';

/** Between us and golang.org/x/mod 0.7.0 (`sumdb/note` and `sumdb/tlog`), where signed notes and these trees come from. */

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** Made by it: a key from 32 bytes of 01, and a log of the entries `version 1` to `version 5`. */
const goSecret = 'PRIVATE+KEY+lists.example/go+afbf6a9a+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB';
const goKey = 'lists.example/go+afbf6a9a+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';
/** `ProveRecord` and `note.Sign`. */
const goProof = `c2sp.org/tlog-proof@v1
index 2
1g7J3m7LCKAGv3AghKJbJzDZf6eNGDuteeuXewpUilI=
HCkPmNKMeC4mnzRHgvn7NF8NnB0LaeaPFLrDFRhXdp0=
npdCTuj5Obyz2vRPU1TvgPxaTEcN7VOi9QsTWYTva+U=

lists.example/go
5
bV9mMw8dXim6S5A7hDplewlyJoWBMXoI9TYVsR7SYMQ=

\u2014 lists.example/go r79qmutESfZ4KPvbS9B6iDNIXHP0PvOken9gFh9NGswbwd6BH7Gc6zT2ODxhMZ77PbrF0IqhZwMq8V/ilUtWbWMU2gw=
`;
/** `TreeHash` of the first three, and `ProveTree`. */
const goOldRoot = bytesOf('T3PfpODgej3oS0RmbaoQlCa6CR8i53YYh607CWlXtAc=');
const goConsistency = [
  'LOn6o7DMEqSfbj4oyjiuHDYhQWaZw/ZHJO0f8BWXpfk=',
  '1g7J3m7LCKAGv3AghKJbJzDZf6eNGDuteeuXewpUilI=',
  'HCkPmNKMeC4mnzRHgvn7NF8NnB0LaeaPFLrDFRhXdp0=',
  'npdCTuj5Obyz2vRPU1TvgPxaTEcN7VOi9QsTWYTva+U=',
].map(bytesOf);

test('we read and verify what Go has signed and proved', async () => {
  const proof = readLogProof(goProof)!;
  const checkpoint = (await openCheckpoint(proof.checkpoint, readNoteKey(goKey)!, [], ed25519.verify))!;
  expect([checkpoint.origin, checkpoint.size]).toEqual(['lists.example/go', 5]);
  const leaf = leafHash(ascii('version 3'));
  expect(verifyInclusion(leaf, proof.index, 5, proof.hashes, checkpoint.root)).toBe(true);
  expect(verifyConsistency(3, goOldRoot, 5, checkpoint.root, goConsistency)).toBe(true);
  expect(verifyConsistency(3, checkpoint.root, 5, checkpoint.root, goConsistency)).toBe(false);
});

test('we sign and prove the same bytes with its key', async () => {
  const nodes = nodesOf([1, 2, 3, 4, 5].map((version) => leafHash(ascii(`version ${version}`))));
  const signer = await logSignerOf(goSecret);
  expect(signer.vkey).toBe(goKey);
  const text = writeCheckpoint({ origin: 'lists.example/go', size: 5, root: await treeRoot(5, nodes) });
  const checkpoint = writeNote(text, [signatureLine(readNoteKey(goKey)!, await signer.sign(ascii(text)))]);
  expect(writeLogProof({ index: 2, hashes: await inclusionProof(2, 5, nodes), checkpoint })).toBe(goProof);
  expect(await consistencyProof(3, 5, nodes)).toEqual(goConsistency);
});

/**
 * The `version.proof` of a list that we published and two witnesses of the examples cosigned. Go verified it, the tiles, and that each of the
 * 21 checkpoints of that log continues the one before.
 */
const ourProof = `c2sp.org/tlog-proof@v1
index 20
URZYyKGHqZWxbMSRXqoQo5Qh464FdN5W+xTW/uYroKU=
z5PFAuVOXX8xter989KnVmQHPekKnd8PUluCZ/Y0w3U=

lists.example/scam
21
gjtFBxvoPaAHuOPlzLneX9eaAeHBbwmNq392X/UH9eI=

\u2014 lists.example/scam h1elHelAy3T4erUZVqc77onHRAjt3SS5zkHqF1S64FS3UjT6WYjscp8m5aMvMsLXkW1yFMrCuvefyWkw52BfVdEYJAA=
\u2014 witness.example/a 1LTdsQAAAABrDRb37lCqU/j5hSgSTgOz75Y0/zRqXa4RU6SZYJRPiodAAala5ijnEzZIu5DqX7J5Oqa5mS+EvWKh4K13wWs26+kyBw==
\u2014 witness.example/b HWW/IgAAAABrDRb3OF9DWHE00FJccRmWxantBPURWE8EcvxZi00xE6Ad2QAORSJjqPbrmNduluZqo/TO0t4NeLeJjfBcQmUQAW49CA==
`;

test('what Go has verified of ours still verifies', async () => {
  const log = readNoteKey('lists.example/scam+8757a51d+Ac1a5m3oqMyoHdg7RXo0z37PVUjjemyOcGuhMpmwxJDZ')!;
  const witnesses = [
    'witness.example/a+d4b4ddb1+BOz8g1CNu2IaTpNLz+PQKzQbpNj9Gfdu3j/mes1b0A2C',
    'witness.example/b+1d65bf22+BKJTv8bOO05l5npO4IQPkyxeuLBdogtGHxogy+DS4hP0',
  ].map((vkey) => readNoteKey(vkey)!);
  const proof = readLogProof(ourProof)!;
  const { cosigned, size, root } = (await openCheckpoint(proof.checkpoint, log, witnesses, ed25519.verify))!;
  expect([...cosigned.keys()]).toEqual(witnesses);
  const leaf = bytesOf('PTvWjkh9LzuRNIqW0sakkhGo6EG6QYErmUHCwbcvzko=');
  expect(verifyInclusion(leaf, proof.index, size, proof.hashes, root)).toBe(true);
});
