import { allOperations, type FullOperation } from '../../../api/operations/all-operations.js';
import { wrap } from '../arguments/help.js';
import { similarTo } from '../arguments/similar.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { operationCommand } from '../operation/operation-command.js';
import { serviceOptions } from '../service/connection.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';

/** By each of its names: `assetCheck`, `asset_check`, `assets.check`. */
const byName: ReadonlyMap<string, FullOperation> = new Map(
  allOperations.flatMap((row) => [row.name, row.tool, `${row.group}.${row.verb}`].map((name) => [name, row] as const)),
);

export const api: Command = {
  summary: 'Call an operation of the service; without one, list them all.',
  positionals: '<operation>',
  examples: [
    ['api assetCheck --local --content https://scam-mint.example/', 'A call, answered by the embedded service'],
    ['api assetList --help', 'The fields of an operation'],
    ['api assetList --local --type URL --all --json', 'Every item of a list, one a line'],
    ['api assetUnblock --local --content https://scam-mint.example/ --dry-run', 'The request a write would send'],
    ['api --list --output csv', 'All operations as a table'],
  ],
  options: { list: { text: 'List the operations, which happens without one as well' }, ...serviceOptions },
  notes:
    'An operation is named by its id (assetCheck), its tool (asset_check) or its group and verb (assets.check).\nThe exit code tells how the call went, and nothing about the answer: 0 also for an asset that is BLOCKED; check is the command for verdicts. 7: some of a write was refused.',
  parts: {
    names: allOperations.map(({ name }) => name),
    of: (name) => operationCommand(byName.get(name) ?? refuse(name)),
  },

  async run({ output }) {
    const operations = allOperations.map(facts);
    await output.result({ operations }, () =>
      output.format === 'human' ? allOperations.map((row) => lineOf(row, output)).join('\n') : operations,
    );
    return 0;
  },
};

function refuse(name: string): never {
  const similar = similarTo(name, byName.keys());
  // What is like none of them may be a key that slipped here.
  throw similar === undefined
    ? new UsageError('there is no such operation', 'portcullis api --list has them all; its name comes first')
    : new UsageError(`there is no such operation: ${printable(name)}`, `did you mean: portcullis api ${similar}`);
}

function facts(row: FullOperation) {
  const { name, tool, group, verb, method, path, write, destructive, deprecated, replacement, provenance, summary } = row;
  const paged = row.paging !== null;
  return { name, tool, group, verb, method, path, write, destructive, paged, deprecated, replacement, provenance, summary };
}

function lineOf(
  { name, method, path, write, destructive, deprecated, provenance, summary }: FullOperation,
  output: Output,
): string {
  const route = path === null ? 'route unknown' : `${method} ${path}`;
  const kind = destructive ? 'writes for good' : write ? 'writes' : 'reads';
  const about = [route, kind, provenance.route, ...(deprecated ? ['deprecated'] : [])].join(', ');
  return `${output.paint('bold', name)}\n${wrap(about, output.columns, '  ')}\n${wrap(summary, output.columns, '  ')}`;
}
