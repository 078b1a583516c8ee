import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../apps/cli/commands.js';
import { run, runJson, temporaryFolder } from './in-process.js';

const unblock = ['api', 'assetUnblock', '--content', 'https://scam-mint.example/'];

test.each<[args: string[], message: string, exitCode?: number]>([
  [['chekc'], 'did you mean: portcullis check'],
  [['chekc', '--json=1'], 'unknown command "chekc"'],
  [['__proto__'], 'unknown command'],
  [['nothing-like-it'], 'unknown command "nothing-like-it"\n  list the commands with: portcullis help\n'],
  [['help', 'nope'], 'unknown command or topic "nope"\n'],
  [['mcp'], 'no service URL is configured\n  set --url or PORTCULLIS_API_URL, name a list with --blocklist <file>, or'],
  [['mcp', '--list', 'hosts.txt'], 'unexpected argument "hosts.txt"\n  name a list of your own with --blocklist hosts.txt'],
  [['mcp', '--blocklist', '-'], 'standard input carries the protocol'],
  [['mcp', '--local', '--blocklist', 'LICENSE'], '--local and --blocklist cannot be combined'],
  [['mcp', '--local', '--published', 'http://127.0.0.1:1/'], '--local and --published cannot be combined'],
  [['mcp', '--list', 'a b.txt'], "--blocklist 'a b.txt'"],
  [['check', '--list', 'LICENSE', 'README.md'], 'with: portcullis screen --list LICENSE README.md;'],
  [['check', '--relay', 'http://127.0.0.1:1', 'x.example'], 'with: portcullis doctor --relay http://127.0.0.1:1\n', 8],
  [['check', '--relay', 'http://127.0.0.1:1/path', 'x.example'], 'with: portcullis doctor --relay <url>\n', 8],
  [['--local', 'check'], 'before the option --local\n  options come after the command'],
  [['--list=my-list.txt', 'check', 'x'], 'before the option --list\n'],
  [['-q', 'check', 'x'], 'before the option -q\n'],
  [['--sk_live_0123456789abcdef'], 'before the option\n'],
  [['check', '--lcoal', 'x'], 'did you mean --local?'],
  [['check', '--__proto__', 'x'], 'unknown option'],
  [['check'], 'nothing to check'],
  [['check', '--list'], '--list needs a value'],
  [['check', '--list', '--quiet', 'x'], '--list needs a value'],
  [['check', '--url=a', '--url=b', 'x'], '--url is given more than once'],
  [['check', '--local', '--relay=https://relay.example', 'x'], '--local and --relay cannot be combined'],
  [['check', '--local', '--state', 's', '--relay', 'https://r.example', 'a'], '--local and --relay cannot be combined'],
  [['check', '--list', 'links', '--state', 's', 'a'], '--state needs --local'],
  [['check', '--local', '--format', 'csv', 'a'], '--format needs --list'],
  [['check', '--list', '-', '-'], 'standard input is used twice'],
  [['check', '--list', '-', '--list', '-', 'a.example'], 'standard input is used twice'],
  [['check', '--local', '--type', 'TWITER', 'x'], 'not "TWITER"\n  did you mean --type=TWITTER?'],
  [['check', '--local', '--type', 'nothing-like-it', 'x'], 'not "nothing-like-it"\n  the types are URL, PAGE, ADDRESS'],
  [['check', '--list', '/', 'x'], '/ is a folder; pass a list file'],
  [['check', '--local', '--dry-run', 'x'], '--dry-run does not apply'],
  [
    ['check', 'example.com'],
    'no service URL is configured\n  name a list with --list <file>, --published <url>, --relay <url> or --url <url>, or try --local',
  ],
  [['check', '--url', 'http://api.example', 'x'], 'the URL http://api.example must be https'],
  [['check', '--published', 'http://list.example/secret', 'x'], 'the URL http://list.example must be https'],
  [
    ['check', '--published', 'docs', 'x'],
    '--published needs a URL; "docs" is a folder\n  serve it with: portcullis serve --published docs',
  ],
  [['check', '--published', 'list.example', 'x'], '--published needs a URL, not "list.example"'],
  [['check', '--relay', 'ftp://relay.example', 'x'], 'the URL must be a plain URL'],
  [['parse'], 'no text given'],
  [['parse', '-', 'x'], 'cannot be combined'],
  [['parse', '--max', '1.5', 'x'], 'a whole number from 1'],
  [['parse', '--max', '1', 'a.example b.example'], 'LIMIT_EXCEEDED'],
  [['parse', '--file', '/nowhere/mail.txt'], 'file not found', 4],
  [['screen', '--local'], 'nothing to screen'],
  [['screen', '--local', 'a', 'b'], 'a single file'],
  [['screen', '--list', '-', '-'], 'both the list and the lines'],
  [['screen', '--local', '--only', 'blokced', '-'], 'did you mean blocked?'],
  [['screen', '--local', '--output=csv', '-'], 'lines of JSON'],
  [['screen', '--local', '/nowhere/links.txt'], 'file not found', 4],
  [['screen', '--relay', 'http://127.0.0.1:1', '-'], 'NETWORK', 8],
  [['screen', '-', '--local', '--workers', 'all'], '--workers'],
  [['sync', '--list', 'http://lists.example/x'], 'the URL http://lists.example must be https'],
  [['sync', '--list', 'ftp://lists.example/x'], 'lists cannot be fetched over ftp'],
  [['sync', '--list', 'FILE:///x'], 'lists cannot be fetched over file'],
  [['sync', '--list', 'x.txt', '--format', 'hosts', '--column', 'url'], '--column needs --format csv'],
  [['sync', '--column', 'url'], '--column needs --list'],
  [['publish', '--out', '/nowhere'], 'nothing to publish'],
  [['publish', 'list.txt'], '--out is missing'],
  [['publish', 'list.txt', '--out', '/dev/null'], '/dev/null is not a folder'],
  [['publish', '/nowhere/list.txt', '--out', '/nowhere/out'], 'file not found', 4],
  [['publish', '-', '--out', '/nowhere/out', '--encoding', 'portcullis-rise'], 'did you mean --encoding=portcullis-rice?'],
  [['serve', '--port', '80.5'], 'a whole number from 0'],
  [['serve', '--port', '0', '--list', '-'], 'read only once'],
  [['serve', '--port', '0', '--list', 'a.txt', '--published', 'b'], '--published and --list cannot be combined'],
  [['serve', '--port', '0', '--refresh', '5'], '--refresh needs --list'],
  [['serve', '--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000"'],
  [['serve', 'published'], 'unexpected argument "published"\n  did you mean --published?'],
  [['webhook', 'verify', 'body.json'], 'unexpected argument "body.json"\n  pass the body with --body'],
  [['api', 'assetCheck', 'content=x'], 'unexpected argument "content=x"\n  did you mean --content?'],
  [['api', 'nothing'], 'unknown operation "nothing"'],
  [['sync', '--output', 'yaml'], '--output must be one of human, json, markdown, csv, not "yaml"'],
  [['serve', '--host', '0.0.0.0'], 'needs --public-url'],
  [['serve', '--cors', '--published', '.'], '--cors applies only to'],
  [['serve', '--relay', '--url', 'https://api.example'], 'a relay needs a key', 2],
  [['serve', '--relay', '--published', '.'], 'cannot be combined'],
  [['serve', '--published', '/nowhere'], '/nowhere does not exist'],
  [['serve', '--published', 'LICENSE'], 'LICENSE is not a folder'],
  [['api', 'attachmentUpload', '--local', '--file', '/nowhere'], 'the file for --file cannot be read [ENOENT]'],
  [['serve', '--published', '/'], '/ contains no version.json'],
  [['serve', '--public-url', 'https://a.example/b'], '--public-url must look like'],
  [['serve', '--state', '/'], 'portcullis:'],
  [['api', 'asetCheck'], 'did you mean: portcullis api assetCheck'],
  [['api', '__proto__'], 'unknown operation'],
  [['api', 'constructor'], 'unknown operation'],
  [['api', 'assetCheck', '--__proto__=x'], 'unknown option'],
  [['api', 'assetCheck', '--constructor', 'x'], 'unknown option'],
  [['api', 'assetCheck', '--contnet', 'x'], 'did you mean --content?'],
  [['api', 'assetCheck', '--local'], '--content: is missing'],
  [['api', 'assetList', '--type', 'TWITER', '--local'], 'did you mean --type=TWITTER?'],
  [['api', 'assetList', '--type', 'URL', '--per-page', '0', '--local'], '--per-page: must be a whole number from 1 to 10000'],
  [['api', 'assetList', '--type', 'URL', '--per-page', 'ten', '--local'], '--per-page must be a number'],
  [['api', 'scanResult', '--local', '--scan-id=1.5'], '--scan-id: must be a whole number'],
  [['api', 'reportCreate', '--local', '--assets', 'example.com'], '--assets must be JSON'],
  [['api', 'reportCreate', '--local', '--assets', '{"content":5}'], '--assets[0].content: must be a string'],
  [['api', 'organizationReportsList', '--local', '--has-mx-records', 'false'], 'write a switch as --name=false'],
  [['api', 'organizationReportsList', '--local', '--has-mx-records=no'], 'takes no value other than true or false'],
  [['api', 'assetCheck', '--local', '--input', '[1]'], '--input must be a JSON object'],
  [['api', 'assetCheck', '--local', '--input', '@/nowhere/input.json'], 'the file for --input cannot be read [ENOENT]'],
  [['api', 'assetCheck', '--local', '--input', '@/dev/zero'], 'the file for --input is larger than'],
  [['api', 'attachmentUpload', '--local', '--file', '/dev/zero'], '4194304 bytes'],
  [['api', 'attachmentUpload', '--local', '--file', '/nowhere'], 'cannot be read'],
  [['api', 'assetCheck', '--local', '--dry-run', '--content', 'x'], '--dry-run does not apply'],
  [['api', 'assetList', '--local', '--type', 'URL', '--limit-items', '0'], '--limit-items must be a whole number from 1'],
  [['api', 'assetCheck', '--state', 'x', '--content', 'x'], '--state needs --local'],
  [['api', 'metricsBlockedByFirstReportSource', '--local'], "--route 'POST /some/path'"],
  [['api', 'attachmentUpload', '--local', '--file=a', '--file=b', '--file-name=c'], '--file-name needs a single --file'],
  [['api', 'attachmentUpload', '--local'], 'give either file or files'],
  [[...unblock, '--local'], 'confirm with --yes'],
  [['openapi', '--output=csv'], 'prints JSON'],
  [['completions'], 'no shell given; use one of bash, zsh, fish, powershell'],
  [['completions', 'tcsh'], 'unknown shell "tcsh"; use one of bash, zsh, fish, powershell'],
  [['completions', 'bsh'], 'for example: portcullis completions bash'],
  [['completions', 'bash', 'zsh'], 'unexpected argument "zsh"'],
  [['webhook', 'listne'], 'did you mean: portcullis webhook listen'],
  [['webhook', 'verify'], 'set PORTCULLIS_WEBHOOK_SECRET'],
  [['login'], 'set --url or PORTCULLIS_API_URL'],
])('rejects %j with advice', async (args, message, exitCode = 3) => {
  const { code, stdout, stderr } = await run(args);
  expect(stderr).toContain(message);
  expect([code, stdout]).toEqual([exitCode, '']);
  // An option of the library.
  expect(stderr).not.toContain('allowInsecureHttp');
});

test.each(['serve', 'sync', 'status', 'doctor', 'demo', 'logout', 'openapi', 'login'])(
  '%s rejects an argument, and repeats it unless it may be a key',
  async (name) => {
    for (const text of ['./public', 'sk_live_0123456789abcdef', 'a'.repeat(32)]) {
      const { code, stdout, stderr } = await run([name, text]);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('unexpected argument');
      expect(stderr.includes(text)).toBe(text === './public' && name !== 'login');
      if (name === 'serve') expect(stderr).toContain('--published');
    }
  },
);

test('an error about a list names its file or host, and is printed once', async () => {
  const folder = temporaryFolder();
  const [broken, csv, good] = ['broken.json', 'unknown.csv', 'good.txt'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(broken, '{"assets":["evil.example",\n}');
  writeFileSync(csv, 'a,b\n');
  writeFileSync(good, 'evil.example\n');
  const failed = await run(['check', '--list', broken, 'a.example']);
  expect(failed.stderr).toBe(
    `portcullis: ${broken}: the list is invalid: the JSON has a syntax error at line 2, column 1 [INVALID_ARTIFACT]\n  fix the file, or set --format\n`,
  );
  expect(failed.code).toBe(3);
  const warned = await run(['check', '--list', good, '--list', csv, 'a.example']);
  expect(warned.stderr.match(/line 1/g)).toHaveLength(1);
  expect(warned.stderr).toContain(`warning: ${csv}: the list is invalid: the CSV has unknown columns in line 1`);
  const published = await run(['publish', good, csv, '--out', join(folder, 'out')]);
  expect(published.stderr).toContain(`portcullis: ${csv}: the CSV has unknown columns in line 1`);
  const away = await run(['check', '--relay', 'http://127.0.0.1:1/secret', 'a.example']);
  expect(away.stderr.match(/\[NETWORK\]/g)).toHaveLength(1);
  expect(away.stderr).toContain('the relay at 127.0.0.1:1: the request failed: bad port');
  expect(away.stderr).not.toContain('secret');
});

test.each(['--api-key', '--key', '--token', '--apiKey', '--secret'])('rejects %s without repeating its value', async (flag) => {
  for (const args of [[flag, 'hunter2-hunter2'], [`${flag}=hunter2-hunter2`]]) {
    for (const name of [['api', 'assetCheck'], ['login'], []]) {
      for (const more of [[], ['--json']]) {
        const { code, stdout, stderr } = await run([...name, ...args, ...more]);
        expect(code).toBe(3);
        expect(stdout + stderr).toContain('PORTCULLIS_API_KEY');
        expect(stdout + stderr).not.toContain('hunter2');
      }
    }
  }
});

/** Every command, and its subcommands. */
const everyCommand: string[][] = [];
for (const [name, { load }] of commands) {
  everyCommand.push([name]);
  const names = (await load()).parts?.names ?? [];
  // The operations share their code.
  for (const part of names.slice(0, 3)) everyCommand.push([name, part]);
}

// The message named no option, and only some commands had a test.
test.each(everyCommand.map((words) => [words]))('names an unknown option of %j, and says how to go on', async (words) => {
  const unknown = await run([...words, '--nonsense-flag']);
  expect([unknown.code, unknown.stdout]).toEqual([3, '']);
  expect(unknown.stderr).toBe('portcullis: unknown option --nonsense-flag\n  list the options with --help\n');
  const similar = await run([...words, '--jsno']);
  expect(similar.stderr).toBe('portcullis: unknown option --jsno\n  did you mean --json?\n');
});

test('does not repeat an unknown command or operation, which may be a key', async () => {
  for (const args of [['sk_live_0123456789abcdef'], ['api', 'sk_live_0123456789abcdef']]) {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(3);
    expect(stdout + stderr).not.toContain('sk_live');
  }
});

test('prints an error as one object with --json', async () => {
  expect((await runJson(['check'])).value).toEqual({
    error: { code: 'USAGE', message: 'nothing to check', next: 'portcullis check <asset…|->' },
    exitCode: 3,
  });
  const both = await runJson(['check', '--output=csv', 'x']);
  expect([both.code, both.value.error.message]).toEqual([3, '--json and --output=csv cannot be combined']);
});
