import { readFileSync } from 'node:fs';
import { platformGroups } from '../apps/playground/asset-type-names.js';
import { ASSET_TYPES } from '../src/core/assets/asset-types.js';
import { explorerPlatforms } from '../src/core/assets/platforms/explorer-platforms.js';
import { shapes } from '../src/core/assets/platforms/platform-rules.js';
import type { PlatformRow } from '../src/core/assets/platforms/platform-table.js';

interface Example {
  readonly type: string;
  readonly confidence: string;
  readonly spellings: readonly (readonly [spelling: string, canonical: string])[];
}

const { rows, explorers } = JSON.parse(
  readFileSync(new URL('../test/core/platforms/examples.json', import.meta.url), 'utf8'),
) as { rows: readonly Example[]; explorers: Pick<Example, 'spellings'> };

const examples = new Map(rows.map((row) => [row.type, row]));

/** docs/asset-types.md: every table, because they are part of the algorithm. */
export function assetTypePage(): string {
  const parts = platformGroups.flatMap(([table, title]) => [`## ${title}\n`, ...table.map(section)]);
  return `${introduction()}\n${parts.join('\n')}\n${explorerSection()}`;
}

function kindTable(): string {
  const rows = [
    ['Links', '`URL`, `PAGE`', 'always'],
    [
      'Addresses',
      '`ADDRESS`',
      'always if the form identifies the chain, else with a hint; [which chains](addresses.md#3-the-kinds), and [which not](addresses.md#6-what-is-not-read)',
    ],
    ['Contact', '`EMAIL`, `PHONE_NUMBER`', 'always; phone numbers with their country code'],
    ['Content', '`IPFS`', 'always: alone, with its scheme, or on any gateway'],
    ...platformGroups.map(([table, title]) => [
      title,
      table.map(([type]) => `\`${type}\``).join(', '),
      'in a link or with its own scheme; a bare name needs its type',
    ]),
  ];
  return ['| kind | types | recognized |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join('\n');
}

function introduction(): string {
  const shapeLines = Object.entries(shapes).map(([name, shape]) => `* \`<${name}>\` is \`${shape}\``);
  return `<!-- Made by \`npm run docs:assets\` from src/core/assets/platforms and test/core/platforms/examples.json. -->

# Asset types

The service has ${ASSET_TYPES.length} types of assets. [algorithm.md](algorithm.md) specifies links, addresses, mailboxes, telephone numbers, IPFS and names; this page lists the
rules of the ${platformGroups.reduce((sum, [table]) => sum + table.length, 0)} types of platforms, as the library stores them. algorithm.md §6.6 explains how to read them.

${kindTable()}
In the rules:

${shapeLines.join('\n')}

A word that a \`*\` precedes is reserved as a subdomain only.

*Confidence* says how well a rule is verified: rules of \`low\` and \`medium\` confidence could not be checked everywhere against the platform's own documents.
`;
}

function section([type, hosts, rules, reserved]: PlatformRow): string {
  const { confidence, spellings } = examples.get(type)!;
  return `### ${type}

Hosts: ${code(hosts)}${reserved === undefined ? '' : `  \nReserved: ${code(reserved)}`}  
Confidence: ${confidence}

${ruleBlock(rules)}
${exampleTable(spellings)}`;
}

/** Rows of the type ADDRESS: explorers and wallets, which are not types of the service. */
function explorerSection(): string {
  const parts = explorerPlatforms().map(([, hosts, rules]) => `Hosts: ${code(hosts)}\n\n${ruleBlock(rules)}`);
  return `## Block explorers and wallets

A link to an account's page on an explorer, or one that fills in a transfer, names an ADDRESS besides its page. The result of a rule is
read as an address; a name of a chain before it is a hint.

${parts.join('\n')}
${exampleTable(explorers.spellings)}`;
}

function ruleBlock(rules: string): string {
  return `\`\`\`text\n${rules
    .trim()
    .split(/\s*\n\s*/)
    .join('\n')}\n\`\`\`\n`;
}

function exampleTable(spellings: Example['spellings']): string {
  const lines = spellings.map(([spelling, canonical]) => `| ${cell(spelling)} | ${cell(canonical)} |`);
  return `| spelling | canonical |\n|---|---|\n${lines.join('\n')}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return code(text.replace(/\|/g, '\\|'));
}
