import type { Command } from '../command.js';
import { inputsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions, load, openList } from '../lists/open-list.js';
import { requireList } from '../lists/require-list.js';
import { checkedOf, lineOf, rowOf, Tally } from '../lists/verdict-lines.js';

export const check: Command = {
  summary:
    'Check links, addresses and other assets against a list. Only four bytes of a hash are ever sent, and those only where the list has them.',
  positionals: '<asset…|->',
  examples: [
    ['check --local https://login.scam-mint.example/', 'Against the sample list; nothing leaves this machine'],
    ['check --list my-list.txt example.com 0x52908400098527886E0F7030069857D2E4169EE7', 'Against a list of your own'],
    ['check --relay https://relay.example/blocklist --type TWITTER @example', 'Against a relay, with the type named'],
    ['check --json - < links.txt', 'A line each from standard input'],
  ],
  options: { ...readingOptions, ...listOptions },
  notes:
    'Exit codes: 0 nothing is blocked, 6 something is, 7 something could not be said. Without any list: 2 the key is refused, 4 the file is not there, 8 it could not be fetched.',

  async run(call) {
    const { output, signal } = call;
    const reading = readingOf(call);
    const inputs = await inputsOf(call, 'check <asset…|->');
    const list = await openList(call);
    try {
      await load(list, call);
      requireList(list);
      const verdicts = await list.blocklist.checkMany(inputs.map(reading), { signal });
      const tally = new Tally();
      for (const verdict of verdicts) tally.add(verdict);
      const results = verdicts.map((verdict, at) => checkedOf(inputs[at]!, verdict));
      const document =
        results.length === 1 && !call.positionals.includes('-') ? results[0] : { results, summary: tally.summary() };
      await output.result(document, () =>
        output.format === 'human' ? results.map((result) => lineOf(result, output.paint)).join('\n') : results.map(rowOf),
      );
      return tally.exitCode();
    } finally {
      await list.close();
    }
  },
};
