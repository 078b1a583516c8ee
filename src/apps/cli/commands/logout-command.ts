import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit.js';
import { forgetKey } from '../service/cli-config.js';

export const logout: Command = {
  summary: 'Forget the stored key. Without one it does nothing.',
  positionals: '',
  examples: [['logout', 'Where the API is and the organization stay stored']],
  options: {},

  async run({ output, env }) {
    const removed = await forgetKey(env);
    const result = { status: 'ok', removed };
    await output.result(result, () => {
      if (output.format !== 'human') return [result];
      return removed ? 'The key is forgotten here; it stays valid.' : 'There was no stored key.';
    });
    if (env['PORTCULLIS_API_KEY']) output.warn('PORTCULLIS_API_KEY is still set');
    return exitCodes.ok;
  },
};
