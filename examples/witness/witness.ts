/** A witness (c2sp.org/tlog-witness). It uses nothing of Portcullis, so that the two check each other. README.md says how to start it. */
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** 63 hashes, and a checkpoint with dozens of signatures. */
const maxBodyBytes = 131_072;
const decimal = /^(?:0|[1-9]\d{0,14})$/;
type Refusal = Error & { readonly status: number };
const refusal = (status: number, message: string): Refusal => Object.assign(new Error(message), { status });
const malformed = (what: string): Refusal => refusal(400, `malformed: ${what}`);
const hashOf = (text: string, ...more: Buffer[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from(text), ...more]))
    .digest();
const keyIdOf = (name: string, type: number, key: Buffer): Buffer => hashOf(`${name}\n`, Buffer.of(type), key).subarray(0, 4);
/** `null` unless it is the one spelling of these bytes. */
const bytesOf = (text: string): Buffer | null =>
  Buffer.from(text, 'base64').toString('base64') === text ? Buffer.from(text, 'base64') : null;

function hashIn(text: string): Buffer {
  const bytes = bytesOf(text);
  if (bytes?.length !== 32) throw malformed('a hash is not the base64 of 32 bytes');
  return bytes;
}

function readCheckpoint(note: string) {
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [origin = '', size = '', root = '', ...more] = text.split('\n');
  const lines = note.slice(end + 2).split('\n');
  if (lines.pop() !== '' || !lines.every((line) => /^\u2014 [^\s+]+ \S+$/.test(line))) throw malformed('the signatures');
  if (end < 0 || !decimal.test(size) || more.length !== 1) throw malformed('the checkpoint has not three lines');
  return { text, origin, size: Number(size), root: hashIn(root), lines };
}

/** RFC 9162, 2.1.4.2. Numbers are halved by division, because shifting breaks above 2^31. */
function isConsistent(oldSize: number, oldRoot: Buffer, size: number, root: Buffer, proof: readonly Buffer[]): boolean {
  if (oldSize === 0 || oldSize === size) return proof.length === 0 && (oldSize === 0 || oldRoot.equals(root));
  const node = (left: Buffer, right: Buffer): Buffer => hashOf('\x01', left, right);
  const half = (at: number): number => Math.floor(at / 2);
  const [first, ...rest] = Number.isInteger(Math.log2(oldSize)) ? [oldRoot, ...proof] : proof;
  if (first === undefined) return false;
  let [fn, sn, fr, sr] = [oldSize - 1, size - 1, first, first];
  for (; fn % 2 === 1; fn = half(fn)) sn = half(sn);
  for (const hash of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [node(hash, fr), node(hash, sr)];
      for (; fn % 2 === 0 && fn !== 0; fn = half(fn)) sn = half(sn);
    } else sr = node(sr, hash);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr.equals(oldRoot) && sr.equals(root);
}

function readLogKey(vkey: string): readonly [origin: string, key: Buffer] {
  const [, origin = '', id, text = ''] = /^([^\s+]+)\+([\da-f]{8})\+(A[Q-Za-f][A-Za-z\d+/]{42})$/.exec(vkey) ?? [];
  const key = Buffer.from(text, 'base64').subarray(1);
  if (keyIdOf(origin, 1, key).toString('hex') !== id) throw new Error(`"${vkey}" is not the vkey of a log`);
  return [origin, key];
}

/** @param folder For the key, made at the first start, and the newest checkpoint of each log. Only one process may use it. */
export function createWitness(folder: string, name: string, logKeys: readonly string[], now: () => number = Date.now) {
  const logs = new Map(logKeys.map(readLogKey));
  if (logs.size === 0 || !/^[^\s+]+$/.test(name)) throw new Error('no log, or a name with spaces or plus signs');
  mkdirSync(folder, { recursive: true });
  const keyFile = join(folder, 'key');
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  const der = Buffer.from(`302e020100300506032b657004220420${readFileSync(keyFile, 'utf8')}`, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const id = keyIdOf(name, 4, publicKey);

  async function add(body: string): Promise<string> {
    const end = body.indexOf('\n\n');
    const [first = '', ...hashes] = body.slice(0, Math.max(0, end)).split('\n');
    const old = first.replace(/^old /, '');
    if (!first.startsWith('old ') || !decimal.test(old) || hashes.length > 63) throw malformed('the old size or the proof');
    const [oldSize, proof] = [Number(old), hashes.map(hashIn)];
    const { text, origin, size, root, lines } = readCheckpoint(body.slice(end + 2));
    const x = logs.get(origin);
    if (x === undefined) throw refusal(404, 'unknown log');
    const logKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
    const start = `\u2014 ${origin} ${keyIdOf(origin, 1, x).toString('base64').slice(0, 5)}`;
    const own = lines.filter((line) => line.startsWith(start));
    const dataIn = (line: string): Buffer | null => bytesOf(line.slice(line.lastIndexOf(' ') + 1));
    const isSigned = (line: string): boolean => verify(null, Buffer.from(text), logKey, dataIn(line)?.subarray(4) ?? x);
    if (own.length === 0 || !own.every(isSigned)) throw refusal(403, 'invalid signature');
    if (oldSize > size) throw malformed('the old size is larger than the checkpoint');
    const file = join(folder, hashOf(origin).toString('hex'));
    const stored = existsSync(file) ? readCheckpoint(await readFile(file, 'utf8')) : { size: 0, root: hashOf('') };
    if (oldSize !== stored.size) throw refusal(409, `${stored.size}\n`);
    const isOther = size === 0 && !root.equals(hashOf(''));
    if (isOther || !isConsistent(oldSize, stored.root, size, root, proof)) throw refusal(422, 'wrong consistency proof');
    const seconds = Math.floor(now() / 1_000);
    const time = Buffer.from(seconds.toString(16).padStart(16, '0'), 'hex');
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), key);
    const line = `\u2014 ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
    // On the disk before the answer: a witness that forgets would cosign a fork.
    await writeFile(`${file}.new`, `${text}\n${own.join('\n')}\n${line}`, { flush: true });
    await rename(`${file}.new`, file);
    const directory = await open(folder);
    await directory.sync();
    await directory.close();
    return line;
  }

  /** Requests wait for each other: what one has compared must still be true when it stores. */
  let last: Promise<unknown> = Promise.resolve();
  async function answer(request: IncomingMessage): Promise<string> {
    const [, origin] = /^\/([\da-f]{64})\/checkpoint$/.exec(request.url ?? '') ?? [];
    if (request.method === 'GET' && origin !== undefined && existsSync(join(folder, origin)))
      return readFile(join(folder, origin), 'utf8');
    if (request.method !== 'POST' || request.url !== '/add-checkpoint') throw refusal(404, 'no such path');
    let body = Buffer.alloc(0);
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk as Buffer]);
      if (body.length > maxBodyBytes) throw refusal(413, 'too large');
    }
    const added = last.then(() => add(body.toString()));
    last = added.catch(() => {});
    return added;
  }

  const server: Server = createServer(async (request, response) => {
    const [status, text] = await answer(request).then(
      (line) => [200, line] as const,
      // Errors of the system have no status, and may name files.
      (error: Partial<Refusal>) => [error.status ?? 500, error.status === undefined ? 'failed' : error.message] as const,
    );
    response.writeHead(status, { 'content-type': status === 409 ? 'text/x.tlog.size' : 'text/plain; charset=utf-8' }).end(text);
  });
  return { vkey: `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(4), publicKey]).toString('base64')}`, server };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = '', name = '', port = '', ...logKeys] = process.argv.slice(2);
  try {
    const { vkey, server } = createWitness(folder, name, logKeys);
    server.listen(Number(port), '127.0.0.1', () => console.log(vkey));
  } catch (error) {
    console.error(`${error}\nusage: witness.ts <folder> <name> <port> <vkey of a log> [<vkey of another log> …]`);
    process.exitCode = 1;
  }
}
