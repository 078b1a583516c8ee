import { generateLogKey, logSignerOf, readLogPolicy } from 'portcullis/publish';
import { describe, expect, test } from 'vitest';
import { logSigner, witnessSigner } from '../../support/note-keys.js';

const log = logSigner('log.example/a', 1).vkey;
const [x1, x2, x3, y1, y2, y3] = [2, 3, 4, 5, 6, 7].map((seed) => witnessSigner(`w${seed}.example`, seed, () => 0).vkey);

/** The example of the specification, with keys. */
const example = `
# A comment
log ${log}

witness X1 ${x1}
witness X2 ${x2}\thttps://x2.example/
  witness X3 ${x3}
group X-witnesses 2 X1 X2 X3

witness Y1 ${y1}
witness Y2 ${y2}
witness Y3 ${y3}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

test('reads the example of the specification', () => {
  const policy = readLogPolicy(example);
  expect(policy.logs.map(({ key }) => key.name)).toEqual(['log.example/a']);
  expect(policy.witnesses.map(({ name, url }) => [name, url])).toEqual([
    ['X1', undefined],
    ['X2', 'https://x2.example/'],
    ['X3', undefined],
    ['Y1', undefined],
    ['Y2', undefined],
    ['Y3', undefined],
  ]);
  const isQuorum = (names: string): boolean => policy.isQuorum(new Set(names.split(' ')));
  expect(['X1 X3 Y2', 'X1 X2 X3 Y1 Y2 Y3'].map(isQuorum)).toEqual([true, true]);
  expect(['', 'X1 Y1', 'X1 X2 X3', 'Y1 Y2 Y3 X1', 'X-and-Y', 'X-witnesses Y-witnesses'].map(isQuorum)).toEqual(
    new Array(6).fill(false),
  );
});

test('a quorum of one witness, and of none', () => {
  expect(readLogPolicy(`witness a ${x1}\nquorum a`).isQuorum(new Set(['a']))).toBe(true);
  expect(readLogPolicy(`witness a ${x1}\nquorum a`).isQuorum(new Set())).toBe(false);
  expect(readLogPolicy('quorum none\n').isQuorum(new Set())).toBe(true);
});

describe('refuses', () => {
  test.each([
    ['no quorum', `log ${log}\n`, /no line "quorum/],
    ['two quorums', 'quorum none\nquorum none\n', /^line 2 /],
    ['an unknown quorum', 'quorum a\n', /^line 1 /],
    ['a quorum above its name', `quorum a\nwitness a ${x1}\n`, /^line 1 /],
    ['an unknown word', 'wittness a\n', /^line 1 .*log, witness, group, quorum/],
    ['a key of a witness for a log', `log ${x1}\nquorum none\n`, /type 01/],
    ['a key of a log for a witness', `witness a ${log}\nquorum a\n`, /type 04/],
    ['a changed key', `witness a ${x1!.replace('w2', 'w9')}\nquorum a\n`, /type 04/],
    ['a key that is there twice', `witness a ${x1}\nwitness b ${x1}\nquorum a\n`, /^line 2 .*twice/],
    ['a name that is there twice', `witness a ${x1}\nwitness a ${x2}\nquorum a\n`, /^line 2 .*taken/],
    ['a witness named none', `witness none ${x1}\nquorum none\n`, /^line 1 .*none/],
    ['more members than there are', `witness a ${x1}\ngroup g 2 a\nquorum g\n`, /^line 2 /],
    ['a group of none', `witness a ${x1}\ngroup g 0 a\nquorum g\n`, /^line 2 /],
    ['a group without members', 'group g all\nquorum g\n', /^line 1 /],
    ['a member of two groups', `witness a ${x1}\ngroup g any a\ngroup h any a\nquorum g\n`, /^line 3 /],
    ['a member twice', `witness a ${x1}\ngroup g 2 a a\nquorum g\n`, /^line 2 /],
    ['a group in itself', 'group g any g\nquorum g\n', /^line 1 /],
    ['a carriage return', 'quorum none\r\n', /carriage return/],
    ['too many words', `log ${log} https://log.example extra\nquorum none\n`, /more words/],
    [
      '64 witnesses',
      `${Array.from({ length: 64 }, (_, at) => `witness w${at} ${witnessSigner('w', at + 1, () => 0).vkey}`).join('\n')}\nquorum none\n`,
      /^line 64 /,
    ],
    ['a long text', '#'.repeat(200_000), /characters/],
  ])('%s', (_, text, message) => {
    const error = (() => {
      try {
        readLogPolicy(text);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })() as { code?: string; message?: string } | undefined;
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error!.message!.replace(' of the policy:', '')).toMatch(message);
  });
});

test('a key of a log is written as golang.org/x/mod/sumdb/note writes it', async () => {
  // The example of its package documentation.
  const skey = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
  const { vkey, sign } = await logSignerOf(skey);
  expect(vkey).toBe('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const signature = Buffer.concat([Buffer.from('c74f20a3', 'hex'), await sign(new Uint8Array(Buffer.from(text)))]);
  expect(signature.toString('base64')).toBe(
    'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
  );
  const made = await generateLogKey('lists.example/scam');
  expect(made.privateKey).toMatch(/^PRIVATE\+KEY\+lists\.example\/scam\+[\da-f]{8}\+[A-Za-z\d+/]{44}\n$/);
  expect((await logSignerOf(made.privateKey)).vkey).toBe(made.vkey);
  for (const wrong of ['', skey.replace('c74f20a3', 'c74f20a4'), skey.replace('+AY', '+BY'), made.vkey]) {
    await expect(logSignerOf(wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
  for (const origin of ['', 'https://lists.example', 'two words', 'a+b']) {
    await expect(generateLogKey(origin)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
});
