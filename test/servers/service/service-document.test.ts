import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** docs/service-document.md: each statement about the service, and what shows it. */
const page = readFileSync('docs/service-document.md', 'utf8');
const tables = [...page.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
const files = new Map(
  tables.flatMap(([name = '', file = '']) => (/^`.*`$/.test(file) ? [[name, file.slice(1, -1)] as const] : [])),
);
const statements = tables.flatMap(([number = '', statement = '', source = '', state = '', shown = '']) =>
  /^\d+$/.test(number) ? [{ number: Number(number), statement, source, state, shown }] : [],
);
const summary = tables.filter(([state, count, ...rest]) => rest.length === 1 && /^\d+$/.test(count ?? '') && !/^\d/.test(state!));

describe("the table of the service's document", () => {
  test('numbers its statements, each once', () => {
    expect(statements.length).toBeGreaterThan(217);
    expect(statements.map(({ number }) => number)).toEqual(statements.map((_, at) => at + 1));
    expect(new Set(statements.map(({ statement }) => statement)).size).toBe(statements.length);
    expect(page).toContain(`same ${statements.length} statements`);
  });

  test('counts them by state', () => {
    const counts = summary.map(([state, count]) => [state, Number(count)]);
    expect(counts.map(([state]) => state)).toEqual(['done', 'provisional', 'partly', 'not possible', 'planned']);
    expect(counts).toEqual(counts.map(([state]) => [state, statements.filter((one) => one.state === state).length]));
    expect(new Set(statements.map(({ source }) => source))).toEqual(new Set(['document', 'public', 'draft', 'nobody']));
  });

  test('shows each statement that is met by a test or code that exists, and gives a reason for each other', () => {
    for (const [, file] of files) expect([file, existsSync(file)]).toEqual([file, true]);
    for (const { number, state, shown } of statements) {
      const quotes = [...shown.matchAll(/(\w+): "(.*?)"(?=; |$)/g)].filter(([, name = '']) => files.has(name));
      for (const [, name = '', part = ''] of quotes) {
        const isThere = readFileSync(files.get(name)!, 'utf8').includes(part);
        expect([number, name, part, isThere]).toEqual([number, name, part, true]);
      }
      const code = [...shown.matchAll(/`(src\/[\w/.-]+)`/g)].map(([, file = '']) => file);
      for (const file of code) expect([number, file, existsSync(file)]).toEqual([number, file, true]);
      if (state === 'done' || state === 'provisional') expect([number, quotes.length + code.length > 0]).toEqual([number, true]);
      else expect([number, shown.length > 0]).toEqual([number, true]);
    }
  });
});
