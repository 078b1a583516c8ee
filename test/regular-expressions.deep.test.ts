import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test, vi } from 'vitest';
import { type AttackPattern, check } from '../tools/deep/recheck.js';

/**
 * An independent checker (recheck) looks for expressions whose time grows faster than the text, and constructs the text. It uses the
 * program that its package has for this platform, which is six times as fast as its JavaScript.
 */

/** Expressions that the checker rejects, which meet only short texts. */
const exceptions: Readonly<Record<string, { readonly maxLength: number; readonly why: string }>> = {
  [String(/(?=[\w-]*\d)[\w-]{16,}|[\w-]{32,}/)]: { maxLength: 60, why: 'quoted.ts repeats no longer text' },
  [String(/(?:;.*|[,#]\s*\d+|\s*(?:ext\.?|x)\s*\d+)$/i)]: {
    maxLength: 64 * 18,
    why: 'phone.ts reads at most 64 characters, and NFKC makes at most 18 of one',
  },
};

/** Platforms read no longer path, query, fragment or name. */
const maxPlatformLength = 2_048;

/** Milliseconds for the worst text of the allowed length. Measured: up to 10. A cubic expression takes seconds for 2,048 characters. */
const maxTimeMs = 50;

interface Found {
  readonly source: string;
  readonly flags: string;
  /** Where it is first. */
  readonly place: string;
}

const files = ['src', 'apps'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

/** Every literal of the source. */
function literals(): Found[] {
  return files.flatMap((file) => {
    const found: Found[] = [];
    const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
        found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), place: `${file}:${line}` });
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
  });
}

/** Every expression that the source builds, including those of the platforms, which are built when they are first needed. */
async function built(): Promise<Found[]> {
  const found: Found[] = [];
  const construct = (target: RegExpConstructor, [source, flags = '']: [string, string?]): RegExp => {
    found.push({ source, flags, place: 'built' });
    return new target(source, flags);
  };
  vi.stubGlobal('RegExp', new Proxy(RegExp, { construct }));
  try {
    for (const file of files) if (/\bRegExp\(/.test(readFileSync(file, 'utf8'))) await import(/* @vite-ignore */ `../${file}`);
    const { parseRules } = await import('../src/core/assets/platforms/platform-rules.js');
    const { platformTables } = await import('../src/core/assets/all-families.js');
    for (const rule of platformTables.flat().flatMap(([, , rules]) => parseRules(rules))) {
      for (const { pattern } of rule.conditions) pattern();
      if (rule.ofLink || rule.ofUri) rule.path();
      if (rule.ofNamed || rule.ofAny) rule.whole();
      rule.isAt('', 'subdomain');
    }
  } finally {
    vi.unstubAllGlobals();
  }
  return found;
}

const nameOf = ({ source, flags }: Found): string => `/${source}/${flags}`;

/** The longest text of this attack that has at most so many characters. */
function textOf({ pumps, suffix }: AttackPattern, maxLength: number): string {
  const make = (count: number): string =>
    pumps.map(({ prefix, pump, bias }) => prefix + pump.repeat(Math.max(0, count + bias))).join('') + suffix;
  let count = 0;
  while (make(count + 1).length <= maxLength) count++;
  return make(count);
}

test('no regular expression takes more than a moment for any text', async () => {
  const read = literals();
  const made = await built();
  expect(read.length).toBeGreaterThan(500);
  expect(made.length).toBeGreaterThan(600);
  const known = new Set(read.map(nameOf));
  const each = new Map([...made, ...read].map((found) => [nameOf(found), found]));
  const slow: string[] = [];
  const needed: string[] = [];
  for (const [name, { source, flags, place }] of each) {
    const result = await check(source, flags, { timeout: 60_000 });
    if (result.status === 'safe') continue;
    const maxLength = known.has(name) ? exceptions[name]?.maxLength : maxPlatformLength;
    if (known.has(name)) needed.push(name);
    if (result.status === 'unknown' || maxLength === undefined) {
      slow.push(`${place} ${name}: ${result.status === 'unknown' ? result.error.kind : result.attack.pattern}`);
      continue;
    }
    const text = textOf(result.attack, maxLength);
    const startMs = performance.now();
    new RegExp(source, flags).test(text);
    const ms = performance.now() - startMs;
    if (ms > maxTimeMs) slow.push(`${place} ${name}: ${ms} ms for ${result.attack.pattern}`);
  }
  expect(slow).toEqual([]);
  expect(needed.sort(), 'an exception that is no longer needed').toEqual(Object.keys(exceptions).sort());
});
