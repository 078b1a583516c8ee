import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { forgetKey } from '../service/cli-config.js';
import { type EndedSignIn, endSignIn } from '../service/stored-sign-in.js';

export const logout: Command = {
  summary: 'Delete the stored key, or end the stored sign-in at the service and delete it. Does nothing if there is none.',
  positionals: '',
  examples: [
    ['logout', 'Keeps the stored URL and organization'],
    ['logout --json', 'Says whether something was deleted, for a script'],
  ],
  options: {},

  async run({ output, env }) {
    const ended = await endSignIn(env);
    const removed = ended !== null || (await forgetKey(env));
    // A copy stays valid, which a script must not take for signed out.
    const isPartial = ended?.isRevoked === false;
    const result = { status: isPartial ? 'partial' : 'ok', removed, ...(ended !== null && { revoked: ended.isRevoked }) };
    await output.result(result, () => (output.format === 'human' ? [loggedOut(ended, removed)] : [result]));
    if (isPartial) {
      output.warn('the service did not confirm that the sign-in has ended');
      output.warn(
        `a copy of its access token stays valid until ${new Date(ended.expiresAtMs).toISOString()}, and one of its refresh token until the service ends it`,
      );
    }
    if (env['PORTCULLIS_API_KEY']) output.warn('PORTCULLIS_API_KEY is still set');
    return isPartial ? exitCodes.partial : exitCodes.ok;
  },
};

function loggedOut(ended: EndedSignIn | null, removed: boolean): string {
  if (ended !== null)
    return ended.isRevoked ? 'You are signed out. The sign-in is no longer valid.' : 'The stored sign-in is deleted.';
  return removed ? 'The stored key is deleted. The key itself remains valid.' : 'No key or sign-in was stored.';
}
