import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { forgetKey } from '../service/cli-config.js';

export const logout: Command = {
  summary: 'Delete the stored key or sign-in. Does nothing if there is none.',
  positionals: '',
  examples: [['logout', 'Keeps the stored URL and organization']],
  options: {},

  async run({ output, env }) {
    const removed = await forgetKey(env);
    const result = { status: 'ok', removed };
    await output.result(result, () => {
      if (output.format !== 'human') return [result];
      return [removed ? 'The stored key is deleted. The key itself remains valid.' : 'No key was stored.'];
    });
    if (env['PORTCULLIS_API_KEY']) output.warn('PORTCULLIS_API_KEY is still set');
    return exitCodes.ok;
  },
};
