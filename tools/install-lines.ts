import { readFileSync } from 'node:fs';
import { pages } from './snippets.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

/** Whether `npm install portcullis` finds the package: true from the day of publishing on. Then run `npm run docs:install`. */
const isPublished = false;

/** What a file says, and what it must say. */
interface InstallLines {
  readonly file: string;
  readonly text: string;
  readonly made: string;
}

const command = /(?<=npm install (?:--\S+ )*)(?:portcullis|\S*portcullis-\d[\w.-]*\.tgz)(?= |$)/gm;

/** The files that install or start the package. */
export function installLines(published: boolean = isPublished): InstallLines[] {
  const installed = published ? 'portcullis' : `../portcullis/portcullis-${version}.tgz`;
  const guides = pages
    .filter((file) => !file.startsWith('docs/releasing'))
    .flatMap((file) => linesOf(file, (text) => between(text, 'install', packing(published))?.replace(command, installed)));
  return [
    ...guides,
    ...linesOf('docs/tools.md', (text) => between(text, 'host', hostText(published))),
    ...linesOf('apps/cli/terminal/call-again.ts', (text) => text.replace(/(?<=^const isPublished = )\w+(?=;$)/m, `${published}`)),
  ];
}

/** At the top of a guide, before the command that installs what a clone beside the project packs. */
function packing(published: boolean): string {
  if (published) return '';
  return `The package is not on a registry yet. Beside your project run \`git clone <repository address> portcullis\`, and in the
clone \`npm ci && npm pack\`, which takes 1 to 3 minutes.\n`;
}

const blockedLink = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'local_check', arguments: { input: 'https://scam-mint.example', confirm: true } },
});

/** How a host of tools starts the server. `portcullis mcp --help` prints the same command. */
function hostText(published: boolean): string {
  const config = published
    ? { command: 'npx', args: ['-y', `portcullis@${version}`, 'mcp'] }
    : { command: 'node', args: ['/path/to/portcullis/dist/cli.js', 'mcp'] };
  const how = published
    ? 'Most hosts take a command:'
    : `The package is not on a registry yet: clone it, and run \`npm ci && npm run build\` in the clone. Most hosts take a command;
\`node dist/cli.js mcp --help\` prints it with the path of your clone. Do not use \`npx portcullis\`: a stranger could register
the name, and the command has your key.`;
  return `${how}

\`\`\`json
{
  "mcpServers": {
    "portcullis": {
      "command": "${config.command}",
      "args": [${config.args.map((arg) => `"${arg}"`).join(', ')}],
      "env": { "PORTCULLIS_API_URL": "https://api.example/v2", "PORTCULLIS_API_KEY": "your-key" }
    }
  }
}
\`\`\`

See it answer without a host:

\`\`\`sh
echo '${blockedLink}' | ${published ? `npx ${config.args.join(' ')}` : 'node dist/cli.js mcp'} --local
\`\`\`
`;
}

function linesOf(file: string, make: (text: string) => string | undefined): InstallLines[] {
  const text = readFileSync(file, 'utf8');
  const made = make(text);
  return made === undefined ? [] : [{ file, text, made }];
}

/** The text with something else between two marks, or undefined if it has none. */
function between(text: string, name: string, content: string): string | undefined {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- ${name} end -->`];
  const [before, rest = ''] = text.split(begin);
  const [, after] = rest.split(end);
  return after === undefined ? undefined : `${before}${begin}${content}${end}${after}`;
}
