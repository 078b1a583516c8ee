import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { defaultMaxBytes, MessageBytes } from './message-bytes.js';
import { type ErrorMessage, type MessageRules, readMessage } from './protocol-message.js';

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

/** Calls that are running when the input ends may answer for this long. */
const endGraceMs = 30_000;

const newline = 0x0a;

/**
 * One message a line. Unlike the transport of the official library, it answers lines that are no message or too long, and lets the calls that
 * are running at the end of the input answer.
 */
export class LineTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  private readonly input: LineInput;
  private readonly output: LineOutput;
  private readonly rules: MessageRules;
  private readonly running = new Set<string | number>();
  private readonly line = new MessageBytes(defaultMaxBytes);
  private hasEnded = false;
  private isClosed = false;
  private giveUp: ReturnType<typeof setTimeout> | undefined;

  constructor(input: LineInput, output: LineOutput, rules: MessageRules) {
    this.input = input;
    this.output = output;
    this.rules = rules;
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
    // A last line without its end.
    this.finish();
    this.hasEnded = true;
    if (this.running.size === 0) void this.close();
    else this.giveUp = setTimeout(() => void this.close(), endGraceMs);
  }

  private read(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0 && !this.isClosed; at = chunk.indexOf(newline, from)) {
      this.line.append(chunk.subarray(from, at));
      this.finish();
      from = at + 1;
    }
    this.line.append(chunk.subarray(from));
  }

  private finish(): void {
    const line = this.line.take();
    if ('refusal' in line) this.refuse(line.refusal);
    else if (line.text.trim() !== '') this.handle(line.text);
  }

  private handle(text: string): void {
    const read = readMessage(text, this.rules);
    if ('refusal' in read) this.refuse(read.refusal);
    else this.take(read.message);
  }

  private take(message: JSONRPCMessage): void {
    if ('method' in message) {
      const { method, params } = message;
      if ('id' in message) this.running.add(message.id);
      if (method === 'notifications/cancelled') this.running.delete(params?.['requestId'] as string | number);
    }
    this.onmessage?.(message);
  }

  private refuse(refusal: ErrorMessage): void {
    this.output.write(`${JSON.stringify(refusal)}\n`, () => {});
  }
}
