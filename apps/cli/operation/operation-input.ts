import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { isPortcullisError, PortcullisError } from 'portcullis';
import type { FullOperation } from 'portcullis/client';
import { jsonObjectIn } from '../../shared/json-text.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { wholeOf } from '../lists/input-lines.js';
import { fileOf } from '../lists/open-file.js';
import { type Field, inputOf } from './operation-fields.js';

/** The largest body that the client sends. */
const maxInputBytes = 8 * 1024 * 1024;

/** The input of a call: `--input`, overridden by the options of single fields. */
export async function operationInput(
  row: FullOperation,
  fields: readonly Field[],
  call: CommandCall,
): Promise<Record<string, unknown>> {
  const input = { ...(await wholeInput(call)), ...inputOf(fields, call.options) };
  return row.upload ? { ...input, ...files(call, input) } : input;
}

async function wholeInput({ options, input }: CommandCall): Promise<object> {
  const given = options.text('input');
  if (given === undefined) return {};
  let text = given;
  if (given === '-' || given.startsWith('@')) {
    const bytes =
      given === '-' ? await wholeOf(input, maxInputBytes, 'the input') : await fileOf(given.slice(1), '--input', maxInputBytes);
    text = new TextDecoder().decode(bytes);
  }
  const value = jsonObjectIn(text);
  if (value !== undefined) return value;
  // Without the text, which may contain anything.
  throw new UsageError(
    '--input must be a JSON object',
    `for example --input '{"content":"example.com"}', --input @file or --input -`,
  );
}

/** A single file is sent with its name, several as a form. */
function files({ options }: CommandCall, { fileName, ...input }: Record<string, unknown>): object {
  const [first, ...others] = options.all('file').map((path) => ({ file: bytesOf(path), fileName: basename(path) }));
  if (first === undefined) return {};
  if (others.length === 0) return { file: first.file, fileName: fileName ?? first.fileName };
  if (fileName !== undefined) throw new UsageError('--file-name needs a single --file', 'several files keep their own names');
  return { ...input, files: [first, ...others] };
}

/** Opens the file when the client reads it, which stops at its own limit. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* createReadStream(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new PortcullisError('INVALID_INPUT', `the file for --file cannot be read [${code}]`, { cause });
  }
}

/** Renames the fields of an input error to options. */
export function inFlags(error: unknown, fields: readonly Field[], input: Record<string, unknown>): unknown {
  if (!isPortcullisError(error) || error.code !== 'INVALID_INPUT' || error.issues === undefined) return error;
  const issues = error.issues.map(({ path, message }) => {
    const [name = ''] = /^[^.[]*/.exec(path) ?? [];
    const field = fields.find((one) => one.name === name);
    const where = field === undefined ? path || 'input' : `--${field.flag}${path.slice(name.length)}`;
    return { path: where, message: field?.isRequired && input[name] === undefined ? 'is missing' : message };
  });
  const { operation } = error;
  return new PortcullisError('INVALID_INPUT', `the input of ${operation} is invalid`, {
    issues,
    ...(operation !== undefined && { operation }),
  });
}
