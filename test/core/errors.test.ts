import { readFileSync } from 'node:fs';
import { isPortcullisError, PortcullisError } from 'portcullis';
import { expect, test } from 'vitest';

test('an error carries its code and cause', () => {
  const cause = new Error('inner');
  const error = new PortcullisError('ABORTED', 'stopped', { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'PortcullisError', code: 'ABORTED', message: 'stopped', cause });
  expect(new PortcullisError('ABORTED', 'stopped')).not.toHaveProperty('cause');
});

test('isPortcullisError recognizes errors of another copy of the package and nothing else', () => {
  class Copy extends Error {}
  const other = Object.defineProperty(new Copy('x'), Symbol.for('portcullis.error'), { value: true });
  expect(isPortcullisError(other)).toBe(true);
  expect(isPortcullisError(new PortcullisError('ABORTED', 'x'))).toBe(true);
  for (const value of [new Error('x'), null, undefined, 'PortcullisError', { name: 'PortcullisError' }]) {
    expect(isPortcullisError(value)).toBe(false);
  }
});

test('docs/errors.md has exactly one row for every code', () => {
  const [union = ''] = /^export type ErrorCode =.*?';$/ms.exec(readFileSync('src/core/errors.ts', 'utf8')) ?? [];
  const codes = [...union.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => code);
  const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(3);
  expect(documented, 'docs/errors.md has the codes of src/core/errors.ts in their order').toEqual(codes);
});
