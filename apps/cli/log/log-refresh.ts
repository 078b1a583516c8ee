import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import { orNull, replaceFile } from '../lists/replace-file.js';
import { inLog, logFolder } from './log-folder.js';
import { forPublisher, policyIn, proofName } from './log-publishing.js';
import { logKeyOf } from './log-verify.js';

export const logRefresh: Command = {
  summary: 'Collect fresh cosignatures of the witnesses for a published list, without a new version.',
  positionals: '<list folder>',
  examples: [
    ['log refresh public/list --key log.key.pub --log-policy policy.txt', 'Uses the log in public/list/log'],
    ['log refresh public/list --log public/log --key log.key.pub --log-policy policy.txt', 'With the log elsewhere'],
  ],
  options: {
    log: { value: 'folder', text: 'The folder of the log; defaults to log/ in the folder of the list' },
    key: { value: 'vkey', text: 'The public key of the log, or the file that keygen wrote' },
    'log-policy': { value: 'file', text: 'The witnesses to ask, in the form of c2sp.org/tlog-policy' },
  },
  notes:
    'Needs no private key. Run it more often than clients allow cosignatures to age, if the list itself does not change.\nExit codes: 0 refreshed; 8 the old proof stays: too few witnesses cosigned, or the log is not what it must be.',

  async run({ positionals, options, output, signal }) {
    const [given] = positionals;
    if (given === undefined || positionals.length > 1)
      throw new UsageError('one folder is needed', 'portcullis log refresh <list folder> --key <vkey> --log-policy <file>');
    const policy = await policyIn(options);
    if (policy === undefined) throw new UsageError('--log-policy is missing', 'it names the witnesses to ask');
    const key = await logKeyOf(options);
    const folder = resolve(given);
    const directory = resolve(options.text('log') ?? join(folder, 'log'));
    const { refreshLog } = await import('portcullis/publish');
    const { log } = await inLog(directory, signal, async () => {
      const text = await orNull(readFile(join(folder, 'version.json'), 'utf8'));
      if (text === null) throw new UsageError(`${folder} has no list`, 'publish one with --log');
      const refreshed = await refreshLog(JSON.parse(text), { key, policy, storage: logFolder(directory), signal }).catch(
        (error: unknown) => forPublisher(error, 'refresh'),
      );
      await replaceFile(join(folder, proofName), refreshed.proof, { isSynced: true });
      return refreshed;
    });
    for (const { name, problem } of log.missing) output.warn(`no cosignature by ${name}: ${problem}`);
    const { index, size, cosigned } = log;
    await output.result({ list: folder, log: directory, ...log }, () =>
      output.format === 'human'
        ? [`version ${index} of a log of ${size} has fresh cosignatures: ${cosigned.join(', ') || 'none is needed'}`]
        : [{ index, size, cosigned: cosigned.join(' ') }],
    );
    return exitCodes.ok;
  },
};
