import { generateGatewayKeys, oblivious, obliviousGateway } from 'portcullis/ohttp';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChromeFirefox, launchChromeFirefox } from '../../../tools/deep/marionette.js';
import { isFirefoxWaived } from '../../../tools/find-firefox.js';
import { startExampleRelay } from '../../servers/ohttp/example-relay.js';
import { relayed, sealedFetch } from '../../servers/ohttp/sealed-client.js';
import { listen } from '../../support/listen.js';

/**
 * Firefox has a client and a gateway of Oblivious HTTP, which are the Rust crates `ohttp` and `bhttp` over NSS: nothing of them is ours, nor of
 * the packages that we use.
 */

if (isFirefoxWaived) console.warn('PORTCULLIS_WITHOUT_FIREFOX=1: Oblivious HTTP is NOT compared with Firefox');

const head = `
  const ohttp = Cc['@mozilla.org/network/oblivious-http;1'].getService(Ci.nsIObliviousHttp);
  const bhttp = Cc['@mozilla.org/network/binary-http;1'].getService(Ci.nsIBinaryHttp);
  const textOf = (bytes) => new TextDecoder().decode(new Uint8Array(bytes));
  const bytesOf = (text) => Array.from(new TextEncoder().encode(text));
  const message = (kind, fields) => ({ ...fields, QueryInterface: ChromeUtils.generateQI([kind]) });
  const fieldsOf = ({ headerNames, headerValues }) => Array.from(headerNames, (name, at) => [name, headerValues[at]]);
`;

describe.skipIf(isFirefoxWaived)('Firefox', () => {
  let firefox: ChromeFirefox;
  const run = (body: string, ...args: readonly unknown[]): Promise<unknown> => firefox.run(head + body, ...args);

  beforeAll(async () => {
    // The last test has servers of its own, which Firefox asks without a proxy.
    firefox = await launchChromeFirefox(9, { 'network.proxy.type': 0 });
    return () => firefox.close();
  });

  /** A gateway of ours, and what it was asked. */
  async function ourGateway() {
    const { keys, keyList } = await generateGatewayKeys();
    const gateway = await obliviousGateway({ keys });
    const asked: string[] = [];
    const handler = async (request: Request): Promise<Response> => {
      asked.push(`${request.method} ${request.url} ${await request.text()}`);
      return Response.json({ hashes: {} }, { status: 201 });
    };
    return { gateway, asked, handler, keyList: [...keyList] };
  }

  test('opens our questions as a gateway, and we open its answers', async () => {
    const config = (await run('globalThis.gateway = ohttp.server(); return Array.from(gateway.encodedConfig);')) as number[];
    const asked: unknown[] = [];
    const ohttp = oblivious({
      relay: 'https://relay.example/',
      keys: Uint8Array.from([0, config.length, ...config]),
      fetch: async (_, init) => {
        const body = `
          const opened = gateway.decapsulate(args[0]);
          const request = bhttp.decodeRequest(opened.request);
          const { method, scheme, authority, path, content } = request;
          const fields = { status: 404, headerNames: ['content-type'], headerValues: ['text/plain'], content: bytesOf('no such file') };
          const answer = Array.from(opened.encapsulate(bhttp.encodeResponse(message('nsIBinaryHttpResponse', fields))));
          return { asked: [method, scheme, authority, path, fieldsOf(request), textOf(content), opened.request.length], answer };`;
        const said = (await run(body, [...(init!.body as Uint8Array)])) as { asked: unknown[]; answer: number[] };
        asked.push(said.asked);
        return new Response(Uint8Array.from(said.answer), { headers: { 'content-type': 'message/ohttp-res' } });
      },
    });
    const headers = { 'content-type': 'application/json' };
    const ask = sealedFetch(ohttp, 'https://list.example');
    const answer = await ask('https://list.example/a/confirm?x=1', { method: 'POST', headers, body: '{"prefixes":[]}' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain']);
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('no such file');
    const fields = [['content-type', 'application/json']];
    expect(asked).toEqual([['POST', 'https', 'list.example', '/a/confirm?x=1', fields, '{"prefixes":[]}', 1_024]]);
  });

  test('reads our key list, asks our gateway as a client, and opens its answer', async () => {
    const { gateway, asked, handler, keyList } = await ourGateway();
    const sealed = (await run(
      `const request = { method: 'POST', scheme: 'https', authority: 'list.example', path: '/a/confirm?x=1',
         headerNames: ['content-type'], headerValues: ['application/json'], content: bytesOf('{}') };
       const [config] = ohttp.decodeConfigList(args[0]);
       const sealed = ohttp.encapsulateRequest(config, bhttp.encodeRequest(message('nsIBinaryHttpRequest', request)));
       globalThis.answer = sealed.response;
       return Array.from(sealed.encRequest);`,
      keyList,
    )) as number[];
    const response = await gateway.answer(relayed(Uint8Array.from(sealed)), handler);
    const opened = await run(
      `const opened = answer.decapsulate(args[0]);
       const response = bhttp.decodeResponse(opened);
       return [response.status, fieldsOf(response), textOf(response.content), opened.length];`,
      [...new Uint8Array(await response.arrayBuffer())],
    );
    expect(asked).toEqual(['POST http://oblivious.invalid/a/confirm?x=1 {}']);
    expect(opened).toEqual([201, [['content-type', 'application/json']], '{"hashes":{}}', 4_096]);
  });

  test('gets an answer of our gateway through the relay of the examples', async () => {
    const { gateway, asked, handler, keyList } = await ourGateway();
    const origin = await listen({ fetch: gateway.wrap(handler) });
    const relay = await startExampleRelay(`${origin}/ohttp`);
    const got = await run(
      `const { NetUtil } = ChromeUtils.importESModule('resource://gre/modules/NetUtil.sys.mjs');
       const service = Cc['@mozilla.org/network/oblivious-http-service;1'].getService(Ci.nsIObliviousHttpService);
       const [config] = ohttp.decodeConfigList(args[1]);
       const target = NetUtil.newURI('https://list.example/version.json?x=1');
       const channel = service.newChannel(NetUtil.newURI(args[0]), target, config).QueryInterface(Ci.nsIHttpChannel);
       return await new Promise((done) => NetUtil.asyncFetch(channel, (stream, result) =>
         done([result, channel.responseStatus, NetUtil.readInputStreamToString(stream, stream.available())])));`,
      relay.url,
      keyList,
    );
    expect(got).toEqual([0, 201, '{"hashes":{}}']);
    expect(asked).toEqual(['GET http://oblivious.invalid/version.json?x=1 ']);
  });
});
