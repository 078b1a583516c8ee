import type { Explanation } from '../../../blocklist/checks/explain.js';
import type { Command } from '../command.js';
import { inputsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions, load, openList } from '../lists/open-list.js';
import { requireList } from '../lists/require-list.js';
import { checkedOf, lineOf } from '../lists/verdict-lines.js';
import type { Output } from '../terminal/output.js';
import { printable } from '../terminal/terminal.js';

export const explain: Command = {
  summary:
    'Show how an input is read, which expressions a list could hold, where their hashes are found, and why the verdict is what it is. Asks nobody about the input.',
  positionals: '<asset…|->',
  examples: [['explain --local https://login.scam-mint.example/claim', 'The whole way of one link']],
  options: { ...readingOptions, ...listOptions },
  notes:
    'The list itself is fetched where it is due. Exit codes: 0 whatever the verdict is. Without any list: 2 the key is refused, 4 the file is not there, 8 it could not be fetched.',

  async run(call) {
    const { output } = call;
    const reading = readingOf(call);
    const inputs = await inputsOf(call, 'explain <asset…|->');
    const list = await openList(call);
    try {
      await load(list, call);
      requireList(list);
      const results = inputs.map((input) => {
        const explanation = list.blocklist.explain(reading(input));
        return { ...checkedOf(input, explanation.verdict), ...explanation };
      });
      const document = results.length === 1 && !call.positionals.includes('-') ? results[0] : { results };
      await output.result(document, () =>
        output.format === 'human'
          ? results.map((result) => textOf(result, output)).join('\n\n')
          : results.flatMap(({ input, lists }) =>
              lists.flatMap(({ source, expressions }) => expressions.map((row) => ({ input, source, ...row }))),
            ),
      );
      return 0;
    } finally {
      await list.close();
    }
  },
};

function textOf(result: Explanation & { readonly input: string | null }, { paint }: Output): string {
  const { assets, override, lists } = result;
  return [
    lineOf(result, paint),
    ...assets.map(({ type, canonical }, at) => `  ${at === 0 ? 'read as ' : '        '} ${type}  ${printable(canonical)}`),
    ...(override === null ? [] : [`  ${override.action}ed by yourself: ${printable(override.expression)}`]),
    ...lists.flatMap(({ source, algorithm, finding, expressions }) => [
      `  ${source} (${algorithm ?? 'no list that is understood'}): ${finding.status}, ${finding.reason}`,
      ...expressions.map(({ expression, prefix, heldIn, known }) => {
        const held = heldIn === null ? paint('dim', 'not listed') : paint('yellow', `in ${heldIn}${known ? `, ${known}` : ''}`);
        return `    ${paint('cyan', prefix)}  ${printable(expression)}  ${held}`;
      }),
    ]),
  ].join('\n');
}
