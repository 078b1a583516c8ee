import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { joined } from '../../core/bytes.js';

/** The streams of a process, as far as they are used. */
export interface LineInput {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
  pause(): unknown;
}

export interface LineOutput {
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** As much as the official library buffers; ten files of evidence have six. */
const maxLineBytes = 10 * 1024 * 1024;
/** Where the id of a message that is too long is looked for. */
const edgeBytes = 300;
/** Calls that are running when the input ends may answer for this long. */
const endGraceMs = 30_000;

const newline = 0x0a;

/**
 * One message a line. Unlike the transport of the official library, it outlives a line that is too long, which it answers, and lets the
 * calls that are running at the end of the input answer.
 */
export class LineTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  private readonly input: LineInput;
  private readonly output: LineOutput;
  private readonly parse: (value: unknown) => JSONRPCMessage;
  private readonly running = new Set<string | number>();
  private chunks: Uint8Array[] = [];
  private length = 0;
  /** The last bytes of a line that is too long. */
  private tail: Uint8Array = new Uint8Array(0);
  private hasEnded = false;
  private isClosed = false;
  private giveUp: ReturnType<typeof setTimeout> | undefined;

  /** @param parse Of the official library; throws for what is not a message */
  constructor(input: LineInput, output: LineOutput, parse: (value: unknown) => JSONRPCMessage) {
    this.input = input;
    this.output = output;
    this.parse = parse;
  }

  async start(): Promise<void> {
    this.input.on('data', (chunk) => this.read(chunk));
    for (const event of ['end', 'close', 'error'] as const) this.input.on(event, () => this.end());
    // The host is gone.
    this.output.on('error', () => void this.close());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(new Error('the connection is closed'));
        return;
      }
      this.output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error);
        else resolve();
        if ('id' in message && !('method' in message) && message.id !== undefined) this.running.delete(message.id);
        if (this.hasEnded && this.running.size === 0) void this.close();
      });
    });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.giveUp);
    this.input.pause();
    this.onclose?.();
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.running.size === 0) void this.close();
    else this.giveUp = setTimeout(() => void this.close(), endGraceMs);
  }

  private read(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0 && !this.isClosed; at = chunk.indexOf(newline, from)) {
      this.append(chunk.subarray(from, at));
      this.finish();
      from = at + 1;
    }
    this.append(chunk.subarray(from));
  }

  private append(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.length <= maxLineBytes) this.chunks.push(bytes);
    else {
      // Only the edges are needed from here on.
      const last = bytes.subarray(-edgeBytes);
      this.tail = joined([this.tail, last], this.tail.length + last.length).slice(-edgeBytes);
      this.chunks = this.chunks.length > 0 ? [this.chunks[0]!.slice(0, edgeBytes)] : [];
    }
  }

  private finish(): void {
    const { chunks, length, tail } = this;
    this.chunks = [];
    this.length = 0;
    this.tail = new Uint8Array(0);
    if (length > maxLineBytes) this.refuse(chunks[0] ?? tail, tail);
    else this.handle(new TextDecoder().decode(joined(chunks, length)));
  }

  private handle(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.parse(JSON.parse(line));
    } catch {
      this.onerror?.(new Error('a line is not a message'));
      return;
    }
    if ('method' in message) {
      const { method, params } = message;
      if ('id' in message) this.running.add(message.id);
      if (method === 'notifications/cancelled') this.running.delete(params?.['requestId'] as string | number);
    }
    this.onmessage?.(message);
  }

  private refuse(head: Uint8Array, tail: Uint8Array): void {
    const id = idAt(new TextDecoder().decode(head), new TextDecoder().decode(tail));
    const message = `the message is longer than ${maxLineBytes} bytes`;
    const answer = { jsonrpc: '2.0', id, error: { code: -32_600, message } };
    this.output.write(`${JSON.stringify(answer)}\n`, () => {});
  }
}

/** The id of a message as clients write it: at its start, or at its end. `null` if it is neither. */
function idAt(head: string, tail: string): unknown {
  const [, first] = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}"),/.exec(head) ?? [];
  // A single brace ends the message itself.
  const [, last] = /,"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail) ?? [];
  const id = first ?? last;
  return id === undefined ? null : JSON.parse(id);
}
