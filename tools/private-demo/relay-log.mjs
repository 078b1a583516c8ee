/** Preloaded into the relay of the examples, which logs nothing itself: prints everything that its operator could write down. */
import { subscribe } from 'node:diagnostics_channel';

subscribe('http.server.request.start', ({ request }) => {
  const chunks = [];
  const { push } = request;
  request.push = (chunk, ...more) => {
    if (chunk !== null) chunks.push(chunk);
    else if (request.method === 'POST') {
      const from = `${request.socket.remoteAddress}:${request.socket.remotePort}`;
      const body = Buffer.concat(chunks).toString('hex');
      console.log(`received ${JSON.stringify({ from, headers: request.rawHeaders, body })}`);
    }
    return push.call(request, chunk, ...more);
  };
});
