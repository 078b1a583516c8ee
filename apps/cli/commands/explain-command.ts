import { explain as explainInput } from 'portcullis';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { explainedLines } from '../lists/explained-lines.js';
import { inputsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions } from '../lists/list-options.js';
import { withList } from '../lists/open-list.js';
import { checkedOf } from '../lists/verdict-lines.js';

export const explain: Command = {
  summary:
    'Show how an input is read, which expressions are looked up, where their hashes are found, and what the verdict is based on. Sends nothing about the input, unless --confirm is given.',
  positionals: '<asset…|->',
  examples: [
    ['explain --local https://login.scam-mint.example/claim', 'Explains one link'],
    ['explain --local --confirm https://login.scam-mint.example/claim', 'Asks the source about hits, as check does'],
  ],
  options: {
    confirm: { text: 'Ask the source about hits, as check does; it learns four bytes of each hash' },
    ...readingOptions,
    ...listOptions,
  },
  notes:
    'Fetches the list if it is due. Exit codes: 0 whatever the verdict. Without a list: 2 the key was rejected; 4 the file was not found; 8 the list could not be fetched.',

  async run(call) {
    const { output } = call;
    const reading = readingOf(call);
    const inputs = await inputsOf(call, 'explain <asset…|->');
    return withList(call, {}, async ({ blocklist, nameOf }) => {
      const confirmed = call.options.has('confirm')
        ? await blocklist.checkMany(inputs.map(reading), { signal: call.signal })
        : [];
      const results = inputs.map((input, at) => {
        const explanation = explainInput(blocklist, reading(input));
        const verdict = confirmed[at] ?? explanation.verdict;
        return { ...checkedOf(input, verdict), ...explanation, verdict };
      });
      const document = results.length === 1 && !call.positionals.includes('-') ? results[0] : { results };
      await output.result(document, () =>
        output.format === 'human'
          ? results.flatMap((result, at) => [...(at === 0 ? [] : ['']), ...explainedLines(result, nameOf, output)])
          : results.flatMap(({ input, lists }) =>
              lists.flatMap(({ source, expressions }) => expressions.map((row) => ({ input, source, ...row }))),
            ),
      );
      return exitCodes.ok;
    });
  },
};
