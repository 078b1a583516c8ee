/** One answer on a connection. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the body has the length that its head announces. */
  readonly isWhole: boolean;
}

/** Reads what a server sent on one connection as a client would (RFC 9112 §6.3). Throws if a byte belongs to no answer. */
export function readAnswers(raw: Buffer, methods: readonly string[]): ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let rest = raw;
  while (rest.length > 0) {
    const method = methods[answers.length];
    if (method === undefined) throw new Error(`bytes after the last answer: ${rest.toString('latin1')}`);
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no head: ${rest.toString('latin1')}`);
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status line: ${line}`);
    const headers = Object.fromEntries(
      lines.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
    );
    const { body, length, isWhole } = bodyIn(rest.subarray(end + 4), method, status, headers);
    answers.push({ status, headers, body, isWhole });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}

function bodyIn(rest: Buffer, method: string, status: number, headers: Record<string, string>) {
  if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), length: 0, isWhole: true };
  if (headers['transfer-encoding'] === 'chunked') return chunkedIn(rest);
  const announced = headers['content-length'];
  if (announced === undefined || !/^\d+$/.test(announced)) throw new Error(`no length: ${JSON.stringify(headers)}`);
  const length = Math.min(Number(announced), rest.length);
  return { body: rest.subarray(0, length), length, isWhole: length === Number(announced) };
}

function chunkedIn(rest: Buffer) {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    const isCut = lineEnd < 0 || next > rest.length;
    if (isCut || size === 0) return { body: Buffer.concat(parts), length: isCut ? rest.length : next, isWhole: !isCut };
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
