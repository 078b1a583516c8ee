/**
 * Runs the official checks against the tool server: the conformance suite for both eras of the protocol, the inspector's lint of the list
 * of tools, and the official client of the library's first major version, over both transports. Writes docs/tool-server-conformance.md with `--write`, and fails if the page differs otherwise.
 *
 *   npm run test:mcp
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createService } from 'portcullis/testing';
import { callEveryTool, type ToolCaller } from '../../test/servers/mcp/every-tool.js';
import { approveSignIn } from '../approve-sign-in.js';
import { freePort } from '../free-port.js';
import { baselineFor, expectedFailures } from './expected-failures.js';
import { withSuite } from './suite-offer.js';
import { startEndpoint } from './tool-endpoint.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const modules = join(folder, 'node_modules');
const page = fileURLToPath(new URL('../../docs/tool-server-conformance.md', import.meta.url));
const revisions = ['2026-07-28', '2025-11-25'] as const;

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** The suite does not load on Node 20. */
const bundledNode = join(modules, 'node22/bin/node');
const node = existsSync(bundledNode) ? bundledNode : process.execPath;

/** @param read Sees the output as it grows */
function run(args: readonly string[], read: (output: string) => void = () => {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        read(output);
      });
    }
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}

interface Check {
  readonly id: string;
  readonly status: string;
}

interface Result {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

/** The results that the suite wrote, in the order of names. */
function resultsIn(results: string): Result[] {
  return readdirSync(results)
    .sort()
    .map((name) => {
      const checks = JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[];
      return {
        scenario: name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ''),
        passed: checks.filter(({ status }) => status === 'SUCCESS').length,
        failed: checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id),
      };
    });
}

const suite: string = join(modules, '@modelcontextprotocol/conformance/dist/index.js');

/** The newest revision has a set of requirements, which is frozen; the older ones have only the suite as it is today. */
const scopeOf = (revision: string): string[] =>
  revision === '2026-07-28' ? ['--requirements', revision] : ['--suite', 'active', '--spec-version', revision];

async function conformance(url: string, revision: string): Promise<readonly Result[]> {
  const results = mkdtempSync(join(tmpdir(), 'portcullis-conformance-'));
  try {
    const baseline = join(results, 'baseline.yml');
    writeFileSync(baseline, baselineFor(revision));
    const checksFolder = join(results, 'results');
    const options = ['--url', url, ...scopeOf(revision), '--expected-failures', baseline, '-o', checksFolder];
    const { code, output } = await run([suite, 'server', ...options]);
    if (code !== 0) throw new Error(`the conformance suite for ${revision} failed:\n${output.slice(-6_000)}`);
    return resultsIn(checksFolder);
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** The suite asks a user to approve, and receives the code itself. */
async function signInConformance(): Promise<readonly Result[]> {
  const service = createService({ oauth: true });
  const results = mkdtempSync(join(tmpdir(), 'portcullis-conformance-'));
  try {
    const [{ url }, port] = [await service.listen(), await freePort()];
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
    });
    const { client_id: clientId } = (await registered.json()) as { client_id: string };
    const options = ['--url', url, '--client-id', clientId, '--resource', `${url}/mcp`, '-p', String(port), '-o', results];
    let isAsked = false;
    const { code, output } = await run([suite, 'authorization', ...options], (text) => {
      const [address] = /http\S+\/oauth\/authorize\?\S+(?=\s)/.exec(text) ?? [];
      if (address === undefined || isAsked) return;
      isAsked = true;
      approveSignIn(address, service.key)
        .then((callback) => fetch(callback))
        .catch((error: unknown) => process.stderr.write(`${error}\n`));
    });
    const found = resultsIn(results).map((one) => ({
      ...one,
      scenario: one.scenario.replace(/^authorization-server-(?=auth)/, ''),
    }));
    if (code !== 0 || found.some(({ passed, failed }) => passed === 0 || failed.length > 0)) {
      throw new Error(`the conformance suite for the sign-in failed:\n${output.slice(-6_000)}`);
    }
    return found;
  } finally {
    await service.close();
    rmSync(results, { recursive: true, force: true });
  }
}

async function lint(url: string, era: string): Promise<void> {
  const inspector = join(modules, '.bin/mcp-inspector');
  const options = ['--transport', 'http', '--method', 'tools/list', '--protocol-era', era, '--format', 'json', '--strict'];
  const { code, output } = await run([inspector, '--cli', url, ...options]);
  if (code !== 0) throw new Error(`the inspector rejects the list of tools for the ${era} era:\n${output.slice(-4_000)}`);
}

interface OlderClient extends ToolCaller {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

const olderLibrary = join(modules, '@modelcontextprotocol/sdk/dist/esm/client');

/** The client of the library's first major version, which speaks the older revisions only. */
async function withOlderClient(transportFile: string, transportName: string, ...options: unknown[]): Promise<void> {
  const { Client } = await import(join(olderLibrary, 'index.js'));
  const { [transportName]: Transport } = await import(join(olderLibrary, transportFile));
  const client = new Client({ name: 'check', version: '1' }) as OlderClient;
  await client.connect(new Transport(...options));
  try {
    await callEveryTool(client);
  } finally {
    await client.close();
  }
}

/** What docs/tools.md has hosts start once the package is published, on a machine that has only the packed package. */
async function packedCommand(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'portcullis-packed-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [packed = ''] = readdirSync(scratch);
    const all = Object.entries(process.env).filter(([name]) => !name.startsWith('PORTCULLIS_'));
    const env = { ...Object.fromEntries(all), XDG_CONFIG_HOME: scratch };
    const args = ['-y', '-p', join(scratch, packed), 'portcullis', 'mcp', '--local'];
    await withOlderClient('stdio.js', 'StdioClientTransport', { command: 'npx', args, env, cwd: scratch });
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `./${packed}`], {
      cwd: scratch,
      stdio: 'ignore',
    });
    const program = `import { createBlocklist } from 'portcullis'; import { textSource } from 'portcullis/sources';
      import { createToolServer } from 'portcullis/mcp';
      const sources = [textSource({ id: 'own', text: 'scam.example' })];
      await createToolServer({ blocklist: createBlocklist({ sources }) }).connect();`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env,
      cwd: scratch,
      input: '',
      encoding: 'utf8',
    });
    if (!stderr.includes('npm install @modelcontextprotocol/server@2')) {
      throw new Error(`without the library, portcullis/mcp does not say what to install: ${stderr}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function pageOf(byRevision: ReadonlyMap<string, readonly Result[]>, signIn: readonly Result[]): string {
  const sections = [...byRevision].map(([revision, results]) => {
    const passed = results.reduce((sum, one) => sum + one.passed, 0);
    const failed = results.reduce((sum, one) => sum + one.failed.length, 0);
    const rows = results.map((one) => `| ${one.scenario} | ${one.passed} | ${one.failed.join(', ')} |`);
    return `## Revision ${revision}

${passed} checks pass, ${failed} expected failures.

| scenario | pass | expected failures |
|---|---|---|
${rows.join('\n')}
`;
  });
  return `<!-- Made by \`npm run test:mcp -- --write\`. -->

# Conformance of the tool server

What the official conformance suite ${versionOf('@modelcontextprotocol/conformance')} says about [the tool server](tools.md), run against an
embedded service over loopback. The failures are expected, and the run fails when one of them passes. The inspector's
strict lint (${versionOf('@modelcontextprotocol/inspector')}) accepts the list of tools in both eras, and the client of the library's first major
version (${versionOf('@modelcontextprotocol/sdk')}) calls every tool. The suite has no scenarios for 2025-06-18 and 2025-03-26.

| why | expected to fail |
|---|---|
${expectedFailures.map(({ why, revision, entries }) => `| ${why} | ${revision === undefined ? '' : `${revision}: `}${[...new Set(entries.map(scenarioOf))].join(', ')} |`).join('\n')}

${sections.join('\n')}
## The sign-in

| scenario for authorization servers | pass |
|---|---|
${signIn.map(({ scenario, passed }) => `| ${scenario} | ${passed} |`).join('\n')}
`;
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { version: string }).version;

const scenarioOf = (entry: string): string => entry.replace(/:.*/, '');

const endpoint = await startEndpoint();
const suiteEndpoint = await startEndpoint(withSuite);
try {
  const byRevision = new Map<string, readonly Result[]>();
  for (const revision of revisions) {
    const results = await conformance(suiteEndpoint.url, revision);
    byRevision.set(revision, results);
    process.stdout.write(`pass  conformance ${revision}: ${results.length} scenarios\n`);
  }
  for (const era of ['modern', 'legacy']) {
    await lint(endpoint.url, era);
    process.stdout.write(`pass  the inspector accepts the tools, ${era} era\n`);
  }
  await withOlderClient('streamableHttp.js', 'StreamableHTTPClientTransport', new URL(endpoint.url));
  process.stdout.write('pass  the older official client calls every tool over HTTP\n');
  await packedCommand();
  process.stdout.write('pass  the packed command serves the older official client, and says what it lacks\n');
  const signIn = await signInConformance();
  process.stdout.write(`pass  conformance of the sign-in: ${signIn.length} scenarios\n`);
  const text = pageOf(byRevision, signIn);
  if (process.argv.includes('--write')) writeFileSync(page, text);
  else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
    throw new Error('docs/tool-server-conformance.md differs; run: npm run test:mcp -- --write');
  }
} finally {
  await endpoint.close();
  await suiteEndpoint.close();
}
