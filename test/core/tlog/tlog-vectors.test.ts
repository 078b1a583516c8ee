import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ed25519 } from '../../../src/blocklist/signatures/ed25519.js';
import { openCheckpoint, readCheckpoint, writeCheckpoint } from '../../../src/core/tlog/checkpoint.js';
import { maxLogProofBytes, readLogProof, writeLogProof } from '../../../src/core/tlog/log-proof.js';
import {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  leafHash,
  nodesOf,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/core/tlog/merkle.js';
import { readNote, readNoteKey, readSignatureLines, verifiedBy, writeNote, writeNoteKey } from '../../../src/core/tlog/note.js';
import { readBundle, tileNodes, tilePath, tilesOf, writeBundle } from '../../../src/core/tlog/tiles.js';
import { logSigner, verifyWithNode, witnessSigner } from '../../support/note-keys.js';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const verifiers = [
  ['the verifier of the package', ed25519.verify],
  ['Node', verifyWithNode],
] as const;

/** c2sp.org/signed-note, "Example". */
const noteKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const note =
  'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

test.each(verifiers)('the note of the specification is signed by its key, says %s', async (_, verify) => {
  const key = readNoteKey(noteKey)!;
  expect(writeNoteKey(key)).toBe(noteKey);
  const read = readNote(note)!;
  expect(read.text).toBe('This is an example message.\n');
  expect([...(await verifiedBy(read, [key], verify))!]).toEqual([[key, 0]]);
  const changed = readNote(note.replace('example message', 'Example message'))!;
  expect(await verifiedBy(changed, [key], verify)).toBeNull();
});

/** FiloSottile/sunlight, cmd/skylight/testdata: a cosignature, and a tree of 300 entries that another witness signed. */
const skylightKey = 'witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN';
const skylightText = 'rome2026h1.example.org\n300\nlCkHUpkmVBEms2r2T1K6Og69+wUuuN3MIEW1/ezu2v0=\n';
const skylightLine =
  '\u2014 witness.example.org uKLPIAAAAABpVGeAhm2bOvKc3LaB9PFN1ruG19Y5yqslmcAAbhftnn1Zznmo0LXFZq4LGvqKqLX8jWlwLKasxEGTLIqAVusneCBmBw==\n';

test.each(verifiers)('a cosignature of another implementation verifies with its time, says %s', async (_, verify) => {
  const key = readNoteKey(skylightKey)!;
  const read = readNote(writeNote(skylightText, [skylightLine]))!;
  expect([...(await verifiedBy(read, [key], verify))!]).toEqual([[key, 1_767_139_200]]);
  expect(readSignatureLines(skylightLine)).toEqual(read.signatures);
  expect(readCheckpoint(read.text)).toMatchObject({ origin: 'rome2026h1.example.org', size: 300 });
  expect(writeCheckpoint(readCheckpoint(read.text)!)).toBe(skylightText);
});

/** transparency-dev/merkle, testonly: eight entries, and the roots of the trees of the first of them. */
const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex);
const leaves = entries.map(leafHash);
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('the roots of eight trees are those of another implementation', async () => {
  for (const [at, root] of roots.entries()) expect(toHex(await treeRoot(at + 1, nodesOf(leaves.slice(0, at + 1))))).toBe(root);
  expect(Buffer.from(emptyRoot()).toString('base64')).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  expect(await treeRoot(0, nodesOf([]))).toEqual(emptyRoot());
});

/** transparency-dev/merkle, testdata/inclusion/1 to 4, happy-path.json. */
const inclusions = [
  [
    0,
    8,
    'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c= Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4= a0eq8p7jwq+a+Im8H7klTavTEXfxYjLdaqsDXKOb9uQ=',
  ],
  [
    5,
    8,
    'vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms= yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA= 037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=',
  ],
  [2, 3, '+sVCA+fMaWzw38tCySodnbr3CtnmIfS9jZhmLwDjwSU='],
  [
    1,
    5,
    'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0= Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4= vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms=',
  ],
] as const;

test.each(inclusions)('the proof of entry %i in %i is that of another implementation', async (index, size, text) => {
  const proof = text.split(' ').map(base64);
  expect(await inclusionProof(index, size, nodesOf(leaves.slice(0, size)))).toEqual(proof);
  expect(verifyInclusion(leaves[index]!, index, size, proof, hex(roots[size - 1]!))).toBe(true);
  expect(verifyInclusion(leaves[index]!, index + 1, size, proof, hex(roots[size - 1]!))).toBe(false);
});

/** transparency-dev/merkle, testdata/consistency/1 to 3, happy-path.json. */
const consistencies = [
  [
    1,
    8,
    'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c= Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4= a0eq8p7jwq+a+Im8H7klTavTEXfxYjLdaqsDXKOb9uQ=',
  ],
  [
    6,
    8,
    'DrxdNDf74tsVi58Sah0RjjCBgQMdCpSfje3t68VY72o= yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA= 037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=',
  ],
  [2, 5, 'Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4= vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms='],
] as const;

test.each(consistencies)('the proof that %i begins %i is that of another implementation', async (old, size, text) => {
  const proof = text.split(' ').map(base64);
  expect(await consistencyProof(old, size, nodesOf(leaves.slice(0, size)))).toEqual(proof);
  expect(verifyConsistency(old, hex(roots[old - 1]!), size, hex(roots[size - 1]!), proof)).toBe(true);
  expect(verifyConsistency(old, hex(roots[old]!), size, hex(roots[size - 1]!), proof)).toBe(false);
});

/** transparency-dev/tessera, testdata: a log of the entries `one` and `two`. */
const tesseraKey = 'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx';
const tessera = {
  checkpoint:
    'example.com/log/testdata\n2\nT1X2GdkhUjV3iyufF9b0kVsWFxIU0VI4EpNml2Teci4=\n\n\u2014 example.com/log/testdata M9e0llH4NKmlf0u7C8tkJioQOmi7l5ELqljXgKRg6R3G5JJ7vx7emDWo5fpqKuA/Dk/jRrI6il+7QCVirNhyUAWGoAk=\n',
  'tile/entries/000.p/2': hex('00036f6e65000374776f'),
  'tile/0/000.p/2': hex(
    'd0d7360ab79f58ab1e1e3fe64ad77e2ea0bc07e36b5f46ed2223edd9298df9e9ab1ab7f07c7c8fe0eff4ba6faa53c7e4412e91a599153e8aa4e01beece5b7825',
  ),
};

test('the checkpoint, tile and bundle of another log belong together', async () => {
  const opened = (await openCheckpoint(tessera.checkpoint, readNoteKey(tesseraKey)!, [], verifyWithNode))!;
  const fetchTile = async (path: string): Promise<Uint8Array | null> => tessera[path as 'tile/0/000.p/2'] ?? null;
  const read = tileNodes(opened.size, fetchTile);
  expect(await treeRoot(opened.size, read)).toEqual(opened.root);
  const held = readBundle(tessera['tile/entries/000.p/2'], 2)!;
  expect(held.map((entry) => Buffer.from(entry).toString())).toEqual(['one', 'two']);
  for (const [index, entry] of held.entries()) {
    const proof = await inclusionProof(index, opened.size, read);
    expect(verifyInclusion(leafHash(entry), index, opened.size, proof, opened.root)).toBe(true);
  }
  expect(writeBundle(held)).toEqual(tessera['tile/entries/000.p/2']);
});

test('a checkpoint is not opened with the key of another log or under another name', async () => {
  const other = logSigner('example.com/log/testdata', 9);
  expect(await openCheckpoint(tessera.checkpoint, other.key, [], verifyWithNode)).toBeNull();
  const renamed = { ...readNoteKey(tesseraKey)!, name: 'example.com/log/other' };
  expect(await openCheckpoint(tessera.checkpoint, renamed, [], verifyWithNode)).toBeNull();
  const text = 'example.com/somebody\n2\nT1X2GdkhUjV3iyufF9b0kVsWFxIU0VI4EpNml2Teci4=\n';
  expect(await openCheckpoint(writeNote(text, [other.sign(text)]), other.key, [], verifyWithNode)).toBeNull();
});

test('a proof file has the bytes that other people made from the same keys and entries', async () => {
  const log = logSigner('lists.example/scam', 1);
  const proof = `c2sp.org/tlog-proof@v1
index 1
p4e76nhsrhsvgaXWXKlubo7ScSGjwmbarRkHquG90LI=
tN8F5bJvbwvXyOFYWuchzvRODl7+5IR0rI8asFYx65E=

lists.example/scam
3
Oif0jJhTiLv48/TVM/MAU/l1G1dCxgLlsDkXDJh2tVg=

\u2014 lists.example/scam /Uc/dCFOlsI20imnd57G8aXmuYfL+cTf1ye7Zx3RBtLuS7VWy0AQRqH8brR0Uz7qNgdftTSClntEbig8h0ILMZGgcQI=
\u2014 witness.example/a gdYk+gAAAABrNuyAcpGqjjwrwirU3Cgn9EEaWtNotMnohcDFi/dvmfsVCMavWT2WTIsjkrJc083mceDjiPF/Gi0kdoTZ8DQY69DaDw==
\u2014 witness.example/b ViEI+gAAAABrNuyBIE1f6L8dx6D/WA1b1+DX93dPygKi5uDlkQ7VoYl1yHywvC9sOb/Rrg+qDX0rXD/Vv2bP+4x5nsTM1r2w1riTCQ==
`;
  expect(createHash('sha256').update(proof).digest('hex')).toBe(
    '5aac5b40f810e08294bc1f445f0f90684be565ebe01e3ad4a9e4ea66a1fce4f5',
  );
  const a = witnessSigner('witness.example/a', 2, () => 0x6b36ec80);
  const b = witnessSigner('witness.example/b', 3, () => 0x6b36ec81);
  expect(log.vkey).toBe('lists.example/scam+fd473f74+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c');
  expect(a.vkey).toBe('witness.example/a+81d624fa+BIE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU');
  expect(b.vkey).toBe('witness.example/b+562108fa+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR');
  const digests = ['version 1', 'version 2', 'version 3'].map(
    (text) => new Uint8Array(createHash('sha256').update(text).digest()),
  );
  const read = nodesOf(digests.map(leafHash));
  const text = writeCheckpoint({ origin: 'lists.example/scam', size: 3, root: await treeRoot(3, read) });
  const made = {
    index: 1,
    hashes: await inclusionProof(1, 3, read),
    checkpoint: writeNote(
      text,
      [log, a, b].map((one) => one.sign(text)),
    ),
  };
  expect(writeLogProof(made)).toBe(proof);
  expect(readLogProof(proof)).toEqual(made);
  const opened = (await openCheckpoint(made.checkpoint, log.key, [readNoteKey(b.vkey)!], verifyWithNode))!;
  expect([...opened.cosigned.values()]).toEqual([0x6b36ec81]);
  expect(verifyInclusion(leafHash(digests[1]!), 1, opened.size, made.hashes, opened.root)).toBe(true);
});

test('a proof may have an extra line, which counts for nothing', () => {
  const plain = 'c2sp.org/tlog-proof@v1\nindex 0\n\nnote';
  expect(readLogProof(plain)).toEqual({ index: 0, hashes: [], checkpoint: 'note' });
  expect(readLogProof(plain.replace('\n', '\nextra aGVsbG8=\n'))).toEqual(readLogProof(plain));
});

/** transparency-dev/merkle, proof/tlog_proof_test.go, TestVerifyTLogProofErrors, and some more. */
test.each([
  'wrong-header\nindex 0\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\n\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nindex notanumber\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nindex 05\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nindex 9007199254740993\n\ncheckpoint\n',
  'c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\ncheckpoint\n',
  `c2sp.org/tlog-proof@v1\nindex 0\n${Buffer.alloc(64).toString('base64')}\n\ncheckpoint\n`,
  `c2sp.org/tlog-proof@v1\nindex 0\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(54)}\ncheckpoint\n`,
  'c2sp.org/tlog-proof@v1\nindex 0',
  '',
])('refuses the proof %j', (text) => expect(readLogProof(text)).toBeNull());

test('the largest proof that is read fits its limit', () => {
  const line = `${Buffer.alloc(32).toString('base64')}\n`;
  const mlDsa = `\u2014 ${'w'.repeat(20)} ${Buffer.alloc(4 + 8 + 2_420).toString('base64')}\n`;
  expect(53 * line.length + 16 * Buffer.byteLength(mlDsa)).toBeLessThan(maxLogProofBytes);
});

test.each([
  ['no signature', 'text\n\n'],
  ['no empty line', 'text\n\u2014 a AAAAAAAA\n'],
  ['no final newline', 'text\n\n\u2014 a AAAAAAAA'],
  ['a control character', 'te\txt\n\n\u2014 a AAAAAAAA\n'],
  ['a hyphen for the dash', 'text\n\n- a AAAAAAAA\n'],
  ['a name with a plus sign', 'text\n\n\u2014 a+b AAAAAAAA\n'],
  ['a signature without an id', 'text\n\n\u2014 a AAAA\n'],
  ['stray bits in its base64', 'text\n\n\u2014 a AAAAAAF=\n'],
  ['65 signatures', `text\n\n${'\u2014 a AAAAAAAA\n'.repeat(65)}`],
  ['an empty text', '\n\n\u2014 a AAAAAAAA\n'],
])('refuses a note with %s', (_, text) => expect(readNote(text)).toBeNull());

test('a note has up to 64 signatures, and its last empty line separates', () => {
  expect(readNote(`a\n\nb\n\n${'\u2014 a AAAAAAAA\n'.repeat(64)}`)).toMatchObject({
    text: 'a\n\nb\n',
    signatures: { length: 64 },
  });
});

test.each([
  ['a wrong id', noteKey.replace('530d903a', '530d903b')],
  ['another name', noteKey.replace('foo', 'bar')],
  ['a type that is not read', 'witness.example+00000000+BhuPmFC1bTmQZ1BhgBqa8Bc7oKsQ2zRHNW5QsYb6CWFA'],
  ['a space', noteKey.replace('/', ' ')],
  ['less', noteKey.slice(0, -4)],
])('refuses a key with %s', (_, text) => expect(readNoteKey(text)).toBeNull());

test.each([
  'origin\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  'origin\n9007199254740992\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  'origin\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  'origin\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=\n',
  'origin\n1\n47DEQpj8HBSa\n',
  '\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  'origin\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n',
])('refuses the checkpoint %j', (text) => expect(readCheckpoint(text)).toBeNull());

test('a checkpoint may have further lines', () => {
  expect(readCheckpoint('a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nmore\n')).toMatchObject({ origin: 'a', size: 1 });
});

/** c2sp.org/tlog-tiles. */
test('tiles have the paths and widths of the specification', () => {
  expect(tilePath(0, 1_234_067)).toBe('tile/0/x001/x234/067');
  expect(tilePath('entries', 0, 2)).toBe('tile/entries/000.p/2');
  const names = tilesOf(70_000).map(({ level, index, width }) => tilePath(level, index, width));
  expect(names).toHaveLength(274 + 2 + 1);
  expect(names.slice(-5)).toEqual(['tile/0/272', 'tile/0/273.p/112', 'tile/1/000', 'tile/1/001.p/17', 'tile/2/000.p/1']);
  expect(tilesOf(256).map(({ level, index, width }) => tilePath(level, index, width))).toEqual(['tile/0/000', 'tile/1/000.p/1']);
  expect(tilesOf(0)).toEqual([]);
  expect(tilesOf(10_000)).toHaveLength(39 + 1 + 1);
});

test('an append writes only the tiles that changed', () => {
  expect(tilesOf(257, 255)).toEqual([
    { level: 0, index: 0, width: 256 },
    { level: 0, index: 1, width: 1 },
    { level: 1, index: 0, width: 1 },
  ]);
  expect(tilesOf(255, 254)).toEqual([{ level: 0, index: 0, width: 255 }]);
  expect(tilesOf(255, 255)).toEqual([]);
});
