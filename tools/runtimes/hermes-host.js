/**
 * What the Hermes binary lends to the suite: it has no network and no storage of its own, only `print`. The answers and rows come from
 * `suiteInput`, which the driver puts in front of the bundle. A request without an answer is printed; the driver then sends it over real
 * HTTP and runs the bundle again with the answer.
 */
const { exchanges } = globalThis.suiteInput;
const used = new Map();

/** Waits forever when the driver has no answer yet: the script then ends without a result. */
function answerTo(request) {
  const key = JSON.stringify(request);
  const at = used.get(key) ?? 0;
  used.set(key, at + 1);
  const answer = exchanges.filter((exchange) => exchange.key === key)[at];
  if (answer !== undefined) return Promise.resolve(answer);
  globalThis.print(`NEED ${key}`);
  return new Promise(() => {});
}

export async function lentFetch(url, { method = 'GET', body = null, headers = {} } = {}) {
  const answer = await answerTo({ method, url, body, headers });
  if (answer.failure !== undefined) throw new TypeError(answer.failure);
  const bytes = Uint8Array.from({ length: answer.hex.length / 2 }, (_, at) =>
    Number.parseInt(answer.hex.slice(2 * at, 2 * at + 2), 16),
  );
  return {
    status: answer.status,
    url,
    headers: { get: (name) => answer.headers[name.toLowerCase()] ?? null },
    // As React Native's: whole, without a stream.
    arrayBuffer: async () => bytes.buffer,
  };
}

export async function stopRelay() {
  await answerTo({ stop: true });
}

/** The binary runs timers at once, whatever their delay; a time limit would always be exceeded. Only "soon" is lent. */
globalThis.setTimeout = (run, delayMs) => {
  if (!delayMs) void Promise.resolve().then(run);
  return 0;
};
globalThis.clearTimeout = () => {};
