import { spawnSync } from 'node:child_process';
import { generateGatewayKeys, oblivious, obliviousGateway } from 'portcullis/ohttp';
import { expect, test } from 'vitest';
import { decodeRequest } from '../../../src/core/ohttp/binary-http.js';
import { openingKey, openRequest } from '../../../src/core/ohttp/sealing.js';
import { relayed, sealedFetch } from '../../servers/ohttp/sealed-client.js';
import { bytesOf, gatewayPair } from '../../support/ohttp-vectors.js';

/** Sealed to the key of RFC 9458 appendix A by programs that are not ours. */
const sealedByOthers: readonly (readonly [program: string, asked: string, sealed: string])[] = [
  [
    'HPKE of the Python package cryptography 48.0.0',
    'GET https://list.example/version.json ',
    `01002000010001e1b8184b60cb557895dbc79c59a68cf982dccea7111e6c2b7e95e38d5d89e749679f3aa11b58385922bf5391f2683f0044ca0419ae8b82007b79d8559305
     5b1df61465f8b2251990097ac5e84ad85b46dabc263542d8d2a1114480e90002ce4b040b297f957b81d1f0f66fd4fb1e0ede3098beee7a367be53213a33dbe9d66c35a707e
     00325877d4ecad8ff2000d8a5b51acf762a8b017acc396f1620b4dde9453d1d01d70d4e2d083f91be6ea4226dae67522624b79389ab83b2cf67523b6bcf14f615a05da2413
     824f7123481e9cb073006d0f3d`,
  ],
  [
    'the crates ohttp and bhttp in Firefox ESR 153.8.0',
    'POST https://list.example/a/confirm?x=1 {}',
    `01002000010001ee2f1b9a52789d53efcbd1d64d5f0a4356ca26feda0771ca4e5b300731899a0a6d902b3012962b0b4b41826f38f9e3a893611164e56ed7c2594b37810e81a9
     67cdb6dc6f5328ab7b753d499fcedb261083ba6d2701f933e71ee2af6fc2eb3b4f7f3be320030431506ec4638e5ebe9a96bb845a587bb68a471ad085`,
  ],
];

test.each(sealedByOthers)('a gateway opens what was sealed by %s', async (_, asked, sealed) => {
  const opened = await openRequest(bytesOf(sealed), await openingKey(1, gatewayPair));
  const { method, scheme, authority, path, content } = decodeRequest(opened!.message)!;
  expect(`${method} ${scheme}://${authority}${path} ${Buffer.from(content)}`).toBe(asked);
});

const hasCryptography = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
const hex = (bytes: Uint8Array | string): string => Buffer.from(bytes as Uint8Array).toString('hex');

/** A client and a gateway in Python, from the RFCs alone. */
function python(...args: readonly string[]): Record<string, string> {
  const { status, stdout, stderr } = spawnSync('python3', ['test/support/oblivious_peer.py', ...args], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, string>;
}

test.runIf(hasCryptography)('a gateway in Python opens our questions, and we open its answers', async () => {
  const { privateKey = '', keyList = '' } = python('keys');
  const asked: unknown[] = [];
  const ohttp = oblivious({
    relay: 'https://relay.example/',
    keys: bytesOf(keyList),
    fetch: async (_, init) => {
      const said = python('open', privateKey, keyList, hex(init!.body as Uint8Array), '404', hex('no such file'));
      asked.push(said['request'], said['messageBytes']);
      return new Response(Buffer.from(said['answer']!, 'hex'), { headers: { 'content-type': 'message/ohttp-res' } });
    },
  });
  const ask = sealedFetch(ohttp, 'https://list.example');
  const headers = { 'content-type': 'application/json' };
  const answer = await ask('https://list.example/a/confirm?x=1', { method: 'POST', headers, body: '{"prefixes":["0a1b2c3d"]}' });
  expect([answer.status, Buffer.from(await answer.arrayBuffer()).toString()]).toEqual([404, 'no such file']);
  const content = hex('{"prefixes":["0a1b2c3d"]}');
  expect(asked).toEqual([['POST', 'https://list.example/a/confirm?x=1', [['content-type', 'application/json']], content], 1_024]);
});

test.runIf(hasCryptography)('our gateway opens the questions of a client in Python, which opens our answers', async () => {
  const { keys, keyList } = await generateGatewayKeys();
  const gateway = await obliviousGateway({ keys });
  const {
    sealed = '',
    state = '',
    sealedByHpke = sealed,
  } = python('ask', hex(keyList), 'POST', 'https://list.example/a/confirm?x=1', hex('{}'));
  const asked: string[] = [];
  for (const request of [sealed, sealedByHpke]) {
    const answer = await gateway.answer(relayed(bytesOf(request)), async (opened) => {
      asked.push(`${opened.method} ${opened.url} ${await opened.text()}`);
      return Response.json({ hashes: {} }, { status: 201, headers: { etag: '"1"' } });
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'message/ohttp-res']);
    if (request !== sealed) continue;
    const said = python('read', state, hex(new Uint8Array(await answer.arrayBuffer())));
    expect(said).toEqual({
      status: 201,
      // The tag of an answer could name who gets it, and is left out.
      fields: [['content-type', 'application/json']],
      content: hex('{"hashes":{}}'),
      messageBytes: 4_096,
    });
  }
  expect(new Set(asked)).toEqual(new Set(['POST http://oblivious.invalid/a/confirm?x=1 {}']));
  expect(asked).toHaveLength(2);
});
