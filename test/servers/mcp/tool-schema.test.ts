import { readFileSync } from 'node:fs';
import { allOperations } from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/v4/core';
import { algorithmDocument } from '../../../src/made/algorithm-document.js';
import { localTools } from '../../../src/servers/mcp/local-tools.js';
import { operationTools } from '../../../src/servers/mcp/operation-tools.js';
import { lenientArguments, readJsonFields } from '../../../src/servers/mcp/tool-arguments.js';
import { selectTools } from '../../../src/servers/mcp/tool-offer.js';
import { promptsFor } from '../../../src/servers/mcp/tool-prompts.js';
import { provisionalPaths } from '../../../src/servers/service/http/router.js';

const tools = [...localTools({} as never), ...operationTools(provisionalPaths)];
const named = new Map(tools.map((tool) => [tool.description.name, tool]));

/** Every schema inside a schema. */
function schemasIn(schema: Record<string, unknown>): Record<string, unknown>[] {
  const { properties = {}, items } = schema as {
    properties?: Record<string, Record<string, unknown>>;
    items?: Record<string, unknown>;
  };
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [schema, ...inner.flatMap(schemasIn)];
}

describe('the list of tools', () => {
  test('fits into 40,000 characters', () => {
    expect(JSON.stringify({ tools: tools.map(({ description }) => description) }).length).toBeLessThanOrEqual(40_000);
  });

  test.each([...named])('%s has a schema that every host accepts, and all four hints', (name, { description }) => {
    // Hosts add a prefix of up to 19 characters.
    expect(name).toMatch(/^[a-z][a-z_]{2,45}$/);
    expect(description.inputSchema).toMatchObject({ type: 'object', additionalProperties: expect.any(Boolean) });
    for (const schema of schemasIn(description.inputSchema)) {
      expect(
        Object.keys(schema).filter(
          (key) => !/^(type|description|enum|items|properties|required|additionalProperties|min\w+|max\w+)$/.test(key),
        ),
      ).toEqual([]);
      expect(typeof schema['type']).toBe('string');
    }
    expect(Object.keys(description.annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ]);
  });

  test('has the fields of every operation', () => {
    for (const row of allOperations.filter(({ upload }) => !upload)) {
      const fields = Object.keys((row.input as unknown as { _zod: { def: { shape?: object } } })._zod.def.shape ?? {});
      const { properties } = named.get(row.tool)!.description.inputSchema as { properties: object };
      expect(Object.keys(properties), row.tool).toEqual(fields);
    }
  });

  test('is closed exactly where the operation refuses other fields', () => {
    for (const row of allOperations.filter(({ upload }) => !upload)) {
      const { additionalProperties } = named.get(row.tool)!.description.inputSchema;
      const issues = safeParse(row.input, { fieldOfTomorrow: 1 }).error?.issues ?? [];
      const isRefused = issues.some(({ path }) => path[0] === 'fieldOfTomorrow');
      expect([row.tool, additionalProperties]).toEqual([row.tool, !isRefused]);
    }
  });

  test('says of local tools whether they can reach a service', () => {
    const reaching = localTools({} as never).filter(({ description }) => description.annotations.openWorldHint);
    expect(reaching.map(({ description }) => description.name)).toEqual(['local_check', 'local_check_text']);
  });

  test('says of each operation that writes what it changes, and lets hosts run without a question only what adds', () => {
    const kinds: Record<string, string[]> = { reads: [], adds: [], changes: [], stays: [], ends: [] };
    for (const row of allOperations) {
      const { description, annotations } = named.get(row.tool)!.description;
      kinds[row.effect?.kind ?? 'reads']!.push(row.tool);
      expect([row.tool, row.write]).toEqual([row.tool, row.effect !== null]);
      expect([row.tool, annotations.readOnlyHint]).toEqual([row.tool, !row.write]);
      expect(description).toContain(row.effect?.sentence ?? '');
      const isAsked = row.effect !== null && row.effect.kind !== 'adds';
      expect([row.tool, annotations.destructiveHint, description.includes('Ask the user first.')]).toEqual([
        row.tool,
        isAsked,
        isAsked,
      ]);
      expect([row.tool, description.includes('IRREVERSIBLE')]).toEqual([row.tool, row.effect?.kind === 'ends']);
    }
    // What the protocol calls "only additive updates", and what another operation removes again.
    expect(kinds['adds']).toEqual(['organization_asset_groups_create']);
    expect(kinds['ends']).toEqual([
      'asset_unblock',
      'organization_proposals_review',
      'organization_asset_groups_delete',
      'detection_configs_delete',
    ]);
    expect(kinds['stays']).toEqual([
      'asset_submit',
      'asset_scan',
      'report_create',
      'attachment_upload',
      'dispute_create',
      'webhook_config',
      'detection_configs_create',
      'detection_configs_run',
      'detection_configs_validate',
    ]);
  });

  test('names only tools that exist where it says what takes an effect back', () => {
    for (const { effect } of allOperations) {
      for (const [name] of effect?.sentence.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []) expect(named.has(name), name).toBe(true);
    }
  });
});

describe('narrowing', () => {
  const namesOf = (...given: Parameters<typeof selectTools> extends [unknown, ...infer Rest] ? Rest : never): string[] =>
    selectTools(tools, ...given).map(({ description }) => description.name);

  test('takes names and groups, and blank means all', () => {
    expect(namesOf('user_orgs, local')).toEqual([
      'local_check',
      'local_check_text',
      'local_explain',
      'local_status',
      'user_orgs',
    ]);
    expect(namesOf(['disputes'])).toEqual(['dispute_create']);
    expect(namesOf(' ')).toHaveLength(tools.length);
    expect(namesOf([])).toHaveLength(tools.length);
  });

  test('read-only wins over a name', () => {
    expect(namesOf('report_create,user_orgs', true)).toEqual(['user_orgs']);
    expect(namesOf('', true).every((name) => named.get(name)!.description.annotations.readOnlyHint)).toBe(true);
  });

  test.each([
    ['report_crate', 'did you mean report_create?'],
    ['__proto__', 'there is no tool __proto__'],
    ['x'.repeat(500), 'there is no tool xxx'],
    [`${'user_orgs,'.repeat(500)}x`, 'at most 500 names'],
  ])('refuses the unknown name %.20s', (name, message) => {
    expect(() => namesOf(name)).toThrow(message);
  });
});

describe('arguments as JSON in a string', () => {
  const schema = {
    properties: {
      list: { type: 'array' },
      map: { type: 'object' },
      count: { type: 'integer' },
      is: { type: 'boolean' },
      text: { type: 'string' },
    },
  };

  test('are read where the field is declared otherwise', () => {
    expect(lenientArguments({ list: '[1]', map: '{"a":1}', count: '7', is: 'true', text: '[1]' }, schema)).toEqual({
      list: [1],
      map: { a: 1 },
      count: 7,
      is: true,
      text: '[1]',
    });
  });

  test('stay as they are if they are something else', () => {
    const given = { list: '{"a":1}', map: '[1]', count: '7.5', is: 'yes', other: '[1]' };
    expect(lenientArguments(given, schema)).toEqual(given);
    for (const input of ['{"list":[1]}', [1], null]) {
      expect(() => lenientArguments(input, schema)).toThrow('arguments must be an object');
    }
  });

  test('are refused when there are more than any tool takes', () => {
    const given = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`a${at}`, 1]));
    expect(() => lenientArguments(given, schema)).toThrow('more than 200 arguments');
  });

  test('are read in fields whose form is not published, and other text stays text', () => {
    const given = { subscriptionStatus: 'ACTIVE', services: '{"takedowns":true}', query: '[1]', more: '7' };
    expect(readJsonFields(given, ['subscriptionStatus', 'services', 'more', 'absent'])).toEqual({
      ...given,
      services: { takedowns: true },
    });
  });
});

test('a prompt names only its tools, and fields that they have', () => {
  for (const prompt of promptsFor(new Set(named.keys()))) {
    const text = prompt.text({ organization: 'example-wallet', topic: 'mints' });
    const mentioned = [...text.matchAll(/\b([a-z]+(?:_[a-z]+)+)(?: \(([\w, ]+)\))?/g)];
    expect(new Set(mentioned.map(([, name]) => name)), prompt.name).toEqual(
      new Set(prompt.tools.filter((name) => text.includes(name))),
    );
    for (const [, name, fields = ''] of mentioned) {
      const { properties } = named.get(name!)!.description.inputSchema as { properties: object };
      for (const field of fields.split(', ').filter(Boolean))
        expect([name, Object.keys(properties)]).toEqual([name, expect.arrayContaining([field])]);
    }
  }
});

test('a prompt needs all of its tools', () => {
  const promptsWith = (names: string): number => {
    const offered = new Set(selectTools(tools, names).map(({ description }) => description.name));
    return promptsFor(offered).length;
  };
  expect(promptsWith('')).toBe(3);
  expect(promptsWith('user_orgs,organization_reports_list,threats_list,detection_list')).toBe(1);
  expect(promptsWith('user_orgs,organization_reports_list,threats_list')).toBe(0);
});

test('the resource with the algorithm is docs/algorithm.md', () => {
  expect(algorithmDocument).toBe(readFileSync('docs/algorithm.md', 'utf8'));
});
