/**
 * A relay for Oblivious HTTP (RFC 9458). It passes the body of a request on and nothing else, so that the gateway cannot tell who asks. It logs nothing.
 *
 *   Node      GATEWAY_URL=https://lists.example/ohttp PORT=8080 node relay.mjs
 *   workerd   this file is the worker, and GATEWAY_URL is a binding
 */
const maxRequestBytes = 128 * 1024; // A thousand prefixes, padded and sealed, take half of it.
const maxAnswerBytes = 5 * 1024 * 1024; // The largest answer of a gateway is 2 MiB before it is padded.
const timeoutMs = 15_000; // For the whole exchange; clients give up after ten seconds.

/** Browsers ask first, because of the content type. No answer depends on the page that asks. */
const common = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-expose-headers': 'retry-after',
  'access-control-max-age': '86400',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const answer = (status, more = {}, body = null) => new Response(body, { status, headers: { ...common, ...more } });

/** Answers one request; never rejects. */
export async function relay(request, gatewayUrl) {
  if (request.method === 'OPTIONS') return answer(204);
  if (request.method !== 'POST') return answer(405, { allow: 'POST, OPTIONS' });
  if (request.headers.get('content-type') !== 'message/ohttp-req') return answer(415);
  const signal = AbortSignal.timeout(timeoutMs);
  const body = await bytesOf(request, maxRequestBytes, signal).catch(() => null);
  if (body === null) return answer(signal.aborted ? 408 : 413);
  try {
    // One attempt: a message that is sent twice would show the gateway that both are from one client.
    const init = { method: 'POST', headers: { 'content-type': 'message/ohttp-req' }, body, redirect: 'manual', signal };
    const response = await fetch(gatewayUrl, init);
    const type = response.headers.get('content-type');
    const isSealed = response.status === 200 && type === 'message/ohttp-res';
    if (!isSealed && response.status < 400) return answer(502);
    const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '');
    const more = { ...(seconds && { 'retry-after': seconds[0] }) };
    if (!isSealed && type !== 'application/problem+json') return answer(response.status, more);
    return answer(response.status, { ...more, 'content-type': type }, await bytesOf(response, maxAnswerBytes, signal));
  } catch {
    return answer(signal.aborted ? 504 : 502);
  }
}

async function bytesOf({ headers, body }, maxBytes, signal) {
  let leftBytes = maxBytes;
  const transform = (chunk, output) => {
    leftBytes -= chunk.byteLength;
    if (leftBytes < 0) throw new RangeError('too many bytes');
    output.enqueue(chunk);
  };
  if (Number(headers.get('content-length')) > maxBytes) throw new RangeError('too many bytes');
  return new Response(body?.pipeThrough(new TransformStream({ transform }), { signal })).arrayBuffer();
}

export default { fetch: (request, { GATEWAY_URL }) => relay(request, GATEWAY_URL) };

if (globalThis.process?.argv?.[1]?.endsWith('relay.mjs')) {
  const [{ createServer }, { Readable }] = await Promise.all([import('node:http'), import('node:stream')]);
  const { GATEWAY_URL, PORT = '8080', HOST = '127.0.0.1' } = process.env;
  if (!URL.canParse(GATEWAY_URL)) throw new TypeError('set GATEWAY_URL to the URL of the gateway');
  const server = createServer({ requestTimeout: timeoutMs, headersTimeout: timeoutMs }, async (incoming, outgoing) => {
    outgoing.on('error', () => {}); // The client has left.
    const isPost = incoming.method === 'POST';
    const method = isPost || incoming.method === 'OPTIONS' ? incoming.method : 'GET';
    const headers = ['content-type', 'content-length'].flatMap((name) => {
      const value = incoming.headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    const body = isPost ? Readable.toWeb(incoming) : null;
    const response = await relay(new Request('http://relay.invalid/', { method, headers, body, duplex: 'half' }), GATEWAY_URL);
    if (!incoming.complete) outgoing.setHeader('connection', 'close'); // Reads no further.
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  });
  server.listen(Number(PORT), HOST, () => console.log(`listening ${server.address().port}`));
}
