import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const start = '<!-- Made by `npm run docs:session`. -->\n';
const end = '<!-- End of the session. -->\n';

type Json = Readonly<Record<string, unknown>>;

interface Step {
  readonly about: string;
  readonly tool: string;
  readonly input: Json;
  /** The fields that the page shows of the result, which has up to 60. */
  readonly shown: readonly string[];
}

const message = 'Your wallet is locked. Verify at hxxps://login[.]scam-mint[.]example or https://unlock-wallet.example/claim';

const steps: readonly Step[] = [
  {
    about: 'A user forwards a message. The agent checks it on its own machine; nothing is sent.',
    tool: 'local_check_text',
    input: { text: message },
    shown: ['action', 'pieces', 'plain', 'verdict', 'status', 'reason'],
  },
  {
    about: 'One link is a hit of the list. The agent has it confirmed, which sends four bytes of a hash.',
    tool: 'local_check',
    input: { input: 'https://login.scam-mint.example', confirm: true },
    shown: ['status', 'action', 'reason', 'expression'],
  },
  {
    about: 'The other link is not listed yet, and the user asks the agent to report it. For which organization?',
    tool: 'user_orgs',
    input: {},
    shown: ['organizations', 'name', 'slug'],
  },
  {
    about: 'It files the report. The tool says that it writes, so the host asks the user first.',
    tool: 'report_create',
    input: {
      organizationSlug: 'example-wallet',
      title: 'Asks for a recovery phrase',
      assets: [{ content: 'https://unlock-wallet.example/claim', status: 'BLOCKED' }],
    },
    shown: ['id'],
  },
];

/** A session of the official client with the built command line, as Markdown. Throws if a call fails. */
export async function toolSession(cli: string, env: Record<string, string>): Promise<string> {
  const client = new Client({ name: 'session', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, 'mcp', '--local'], env, stderr: 'ignore' }),
  );
  try {
    const parts: string[] = [];
    for (const { about, tool, input, shown } of steps) {
      const { isError, structuredContent } = await client.callTool({ name: tool, arguments: { ...input } });
      if (isError) throw new Error(`${tool} failed: ${JSON.stringify(structuredContent)}`);
      parts.push(
        `${about}\n\n\`\`\`text\n> ${tool} ${JSON.stringify(input)}\n${inLines(JSON.stringify(structuredContent, [...shown]))}\n\`\`\`\n`,
      );
    }
    return parts.join('\n');
  } finally {
    await client.close();
  }
}

/** The page with another session. */
export function withSession(page: string, session: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('docs/tools.md has no place for the session');
  return `${page.slice(0, from)}${start}\n${session}\n${page.slice(to)}`;
}

/** One line for each item of a list. */
const inLines = (json: string): string =>
  json.replace(/(?<=\[)\{|\},\{|\}(?=\])/g, (part) => (part === '}' ? '}\n' : part.replace('{', '\n  {')));
