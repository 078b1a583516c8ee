import fc from 'fast-check';
import { generateGatewayKeys, obliviousGateway } from 'portcullis/ohttp';
import { expect, test } from 'vitest';
import { decodeRequest } from '../../../src/core/ohttp/binary-http.js';
import { askSealed, confirmation, messageOf, relayed, sealedTo, through } from './sealed-client.js';

const { keys, keyList } = await generateGatewayKeys();
const gateway = await obliviousGateway({ keys, perMinute: 1e9 });

/** A message, and what a fault or an attacker makes of it. */
const edited = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .array(fc.tuple(fc.nat(bytes.length), fc.nat(3), fc.uint8Array({ maxLength: 9 })), { minLength: 1, maxLength: 4 })
    .map((edits) => {
      const made = [...bytes];
      for (const [at, removed, added] of edits) made.splice(at, removed, ...added);
      return Uint8Array.from(made);
    });

test('answers any bytes, and lets the handler see nothing of what does not open', async () => {
  const { sealed } = await sealedTo(keyList, messageOf(confirmation('a0000001')));
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 2_000 }), edited(sealed), edited(sealed.subarray(0, 60)));
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const before = seen;
      const response = await gateway.answer(relayed(body), () => {
        seen++;
        return new Response('x');
      });
      const isSame = Buffer.from(sealed).equals(body);
      expect(response.status).toBe(isSame ? 200 : 422);
      expect(seen - before).toBe(Number(isSame));
    }),
  );
});

test('whatever is sealed gets a sealed answer of one length, and the handler only what is well-formed', async () => {
  const message = messageOf(confirmation('a0000001'));
  const short = message.subarray(0, message.findLastIndex((byte) => byte !== 0) + 1);
  const seen: Request[] = [];
  const send = through(gateway, async (request) => {
    seen.push(request);
    await request.arrayBuffer();
    return new Response('x');
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), edited(short)), async (bytes) => {
      seen.length = 0;
      const { outerBytes, inner } = await askSealed(send, keyList, bytes);
      expect(outerBytes).toBe(4_128);
      const [request] = seen;
      if (request === undefined) expect([400, 405, 417]).toContain(inner.status);
      else {
        expect(decodeRequest(bytes)).not.toBeNull();
        expect(['GET', 'HEAD', 'POST']).toContain(request.method);
        expect(request.url).toMatch(/^http:\/\/oblivious\.invalid\//);
      }
    }),
  );
});
