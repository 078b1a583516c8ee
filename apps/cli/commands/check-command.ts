import type { Command } from '../command.js';
import { inputsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions } from '../lists/list-options.js';
import { withList } from '../lists/open-list.js';
import { checkedOf, lineOf, rowOf, Tally } from '../lists/verdict-lines.js';

export const check: Command = {
  summary: 'Check links, addresses and other assets against a list. A miss sends nothing; a hit sends four bytes of a hash.',
  positionals: '<asset…|->',
  examples: [
    ['check --local https://login.scam-mint.example/', 'Uses the sample list; nothing leaves this machine'],
    ['check --list my-list.txt example.com 0x52908400098527886E0F7030069857D2E4169EE7', 'Uses your own list'],
    ['check --relay https://relay.example/blocklist --type TWITTER @example', 'Uses a relay, and names the type'],
    ['check --json - < links.txt', 'Checks each line of standard input'],
  ],
  options: { ...readingOptions, ...listOptions },
  notes:
    'Exit codes: 0 nothing is blocked; 6 something is blocked; 7 some verdicts are unknown. Without a list: 2 the key was rejected; 4 the file was not found; 8 the list could not be fetched.',

  async run(call) {
    const { output, signal } = call;
    const reading = readingOf(call);
    const inputs = await inputsOf(call, 'check <asset…|->');
    return withList(call, {}, async ({ blocklist }) => {
      const verdicts = await blocklist.checkMany(inputs.map(reading), { signal });
      const tally = new Tally();
      for (const verdict of verdicts) tally.add(verdict);
      const results = verdicts.map((verdict, at) => checkedOf(inputs[at]!, verdict));
      const document =
        results.length === 1 && !call.positionals.includes('-') ? results[0] : { results, summary: tally.summary() };
      await output.result(document, () =>
        output.format === 'human' ? results.map((result) => lineOf(result, output.paint)) : results.map(rowOf),
      );
      return tally.exitCode();
    });
  },
};
