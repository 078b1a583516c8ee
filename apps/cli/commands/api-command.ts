import { allOperations, type FullOperation } from 'portcullis/client';
import { wrap } from '../arguments/help.js';
import { unknownName } from '../arguments/unknown-name.js';
import type { Command } from '../command.js';
import { operationCommand } from '../operation/operation-command.js';
import { serviceOptions } from '../service/connection.js';
import type { Output } from '../terminal/output.js';

/** The operations by each of their names: `assetCheck`, `asset_check`, `assets.check`. */
const byName: ReadonlyMap<string, FullOperation> = new Map(
  allOperations.flatMap((row) => [row.name, row.tool, `${row.group}.${row.verb}`].map((name) => [name, row] as const)),
);

export const api: Command = {
  summary: 'Call an operation of the service. Without an operation, list them all.',
  positionals: '<operation>',
  examples: [
    ['api assetCheck --local --content https://scam-mint.example/', 'Calls the embedded service'],
    ['api assetList --help', 'Shows the fields of an operation'],
    ['api assetList --local --type URL --all --json', 'Prints every item of a list, one per line'],
    ['api assetUnblock --local --content https://scam-mint.example/ --dry-run', 'Prints the request that a write would send'],
    ['api --list --output csv', 'Prints all operations as a table'],
  ],
  options: { list: { text: 'List the operations (the default without an operation)' }, ...serviceOptions },
  notes:
    'An operation can be named by its id (assetCheck), its tool name (asset_check), or its group and verb (assets.check).\nThe exit code reports whether the call succeeded, not what the answer says: it is 0 even if an asset is BLOCKED (use check for verdicts), and 7 if part of a batch write was rejected.',
  parts: {
    names: allOperations.map(({ name }) => name),
    of(name) {
      const row = byName.get(name);
      if (row !== undefined) return operationCommand(row);
      throw unknownName('operation', name, byName.keys(), 'portcullis api', 'list the operations with: portcullis api --list');
    },
  },

  async run({ output }) {
    const operations = allOperations.map(facts);
    await output.result({ operations }, () =>
      output.format === 'human' ? allOperations.flatMap((row) => linesOf(row, output)) : operations,
    );
    return 0;
  },
};

function facts(row: FullOperation) {
  const { name, tool, group, verb, method, path, write, destructive, deprecated, replacement, provenance, summary } = row;
  const paged = row.paging !== null;
  return { name, tool, group, verb, method, path, write, destructive, paged, deprecated, replacement, provenance, summary };
}

function linesOf(
  { name, method, path, write, destructive, deprecated, provenance, summary }: FullOperation,
  output: Output,
): string[] {
  const route = path === null ? 'route unknown' : `${method} ${path}`;
  const kind = destructive ? 'cannot be undone' : write ? 'write' : 'read';
  const about = [route, kind, provenance.route, ...(deprecated ? ['deprecated'] : [])].join(', ');
  const texts = [about, summary].flatMap((text) => wrap(text, output.columns, '  ').split('\n'));
  return [output.paint('bold', name), ...texts];
}
