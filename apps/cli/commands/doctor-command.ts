import type { Command, CommandCall } from '../command.js';
import { connectionChecks, type DoctorCheck, fail, failed, listChecks, ok, storeChecks, warn } from '../doctor/doctor-checks.js';
import { exitCodes } from '../errors/exit-codes.js';
import { isReadableByOthers } from '../lists/file-mode.js';
import { listOptions, originWords } from '../lists/list-options.js';
import { type OpenList, openList } from '../lists/open-list.js';
import { type Folder, folderOf, loadStored } from '../lists/store-folder.js';
import { credentialsFile } from '../service/cli-config.js';
import type { Output } from '../terminal/output.js';
import { countText } from '../terminal/unit-text.js';

export const doctor: Command = {
  summary:
    'Check configuration, connection, key, clock, list, store and this JavaScript engine. Changes nothing, and never prints the key.',
  positionals: '',
  examples: [
    ['doctor', 'Checks the configured service'],
    ['doctor --relay https://relay.example/blocklist', 'Checks a relay'],
    ['doctor --local --json', 'Checks the embedded service, for a script'],
  ],
  options: listOptions,
  notes:
    'Exit codes: 0 if no check fails, else the code of the first failure: 1 engine or store, 2 key, 3 configuration, 4 not found, 5 permission, 7 list, 8 network.',

  async run(call) {
    const { output } = call;
    const progress = output.progress('checks');
    const checks: DoctorCheck[] = [];
    try {
      for await (const check of checksOf(call)) {
        checks.push(check);
        progress.update(checks.length, null, check.name);
      }
    } finally {
      progress.end();
    }
    const failure = checks.find(({ outcome }) => outcome === 'fail');
    const result = { checks: checks.map(({ exitCode, ...check }) => check), ok: failure === undefined };
    await output.result(result, () =>
      output.format === 'human' ? checks.flatMap((check) => linesOf(check, output)) : result.checks,
    );
    return failure?.exitCode ?? exitCodes.ok;
  },
};

async function* checksOf(call: CommandCall): AsyncGenerator<DoctorCheck> {
  yield ok('node', `${process.version} on ${process.platform} ${process.arch}`);
  let list: OpenList;
  try {
    list = await openList(call);
  } catch (error) {
    yield failed('configuration', error);
    return;
  }
  try {
    yield await configurationCheck(list, call);
    yield list.blocklist.status().isSound
      ? ok('self-test', 'this engine computes the expected hashes')
      : fail(
          'self-test',
          'this engine computes wrong hashes, so every verdict is unknown',
          exitCodes.unexpected,
          'use another version of Node',
        );
    if (list.remote !== null) yield* connectionChecks(list.remote, list.origin, call.signal);
    const syncCommand = `portcullis sync${originWords(call.options)}`;
    // A list without a copy is read now; otherwise the copy is checked.
    if (list.directory === null) {
      await list.blocklist.ready({ signal: call.signal });
      yield* listChecks(list, syncCommand);
      return;
    }
    let folder: Folder;
    try {
      folder = await folderOf(list.directory);
    } catch (error) {
      yield failed('store', error);
      return;
    }
    const damaged = folder.exists ? await loadStored(list) : [];
    yield* listChecks(list, syncCommand);
    yield* storeChecks({ ...folder, directory: list.directory, damagedAtLoad: damaged }, syncCommand);
  } finally {
    await list.close();
  }
}

async function configurationCheck({ origin, remote }: OpenList, { env, options }: CommandCall): Promise<DoctorCheck> {
  const name = 'configuration';
  if (origin === 'list') return ok(name, countText(options.all('list').length, 'list'));
  if (origin !== 'service') return ok(name, origin === 'local' ? 'the embedded service' : remote!.url);
  const url = options.has('url') ? '--url' : env['PORTCULLIS_API_URL'] ? 'PORTCULLIS_API_URL' : 'the stored configuration';
  const key = remote?.apiKey === undefined ? 'no key' : env['PORTCULLIS_API_KEY'] ? 'key from PORTCULLIS_API_KEY' : 'stored key';
  const detail = `URL from ${url}, ${key}`;
  const file = credentialsFile(env);
  return (await isReadableByOthers(file))
    ? warn(name, `${detail}; other users can read the stored key`, `chmod 600 ${file}`)
    : ok(name, detail);
}

function linesOf({ name, outcome, detail, next }: DoctorCheck, { paint }: Output): string[] {
  const mark = { ok: paint('green', 'ok  '), warn: paint('yellow', 'warn'), fail: paint('red', 'fail') }[outcome];
  return [`${mark} ${name}: ${detail}`, ...(next === undefined ? [] : [`     ${paint('cyan', next)}`])];
}
