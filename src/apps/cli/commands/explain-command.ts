import type { Explanation } from 'portcullis';
import { explain as explainInput } from 'portcullis';
import type { Command } from '../command.js';
import { exitCodes } from '../errors/exit-codes.js';
import { inputsOf, readingOf, readingOptions } from '../lists/inputs.js';
import { listOptions } from '../lists/list-options.js';
import { withList } from '../lists/open-list.js';
import { checkedOf, lineOf } from '../lists/verdict-lines.js';
import type { Output } from '../terminal/output.js';

export const explain: Command = {
  summary:
    'Show how an input is read, which expressions are looked up, where their hashes are found, and what the verdict is based on. Sends nothing about the input.',
  positionals: '<asset…|->',
  examples: [['explain --local https://login.scam-mint.example/claim', 'Explains one link']],
  options: { ...readingOptions, ...listOptions },
  notes:
    'Fetches the list if it is due. Exit codes: 0 whatever the verdict. Without a list: 2 the key was rejected; 4 the file was not found; 8 the list could not be fetched.',

  async run(call) {
    const { output } = call;
    const reading = readingOf(call);
    const inputs = await inputsOf(call, 'explain <asset…|->');
    return withList(call, {}, async ({ blocklist }) => {
      const results = inputs.map((input) => {
        const explanation = explainInput(blocklist, reading(input));
        return { ...checkedOf(input, explanation.verdict), ...explanation };
      });
      const document = results.length === 1 && !call.positionals.includes('-') ? results[0] : { results };
      await output.result(document, () =>
        output.format === 'human'
          ? results.flatMap((result, at) => [...(at === 0 ? [] : ['']), ...linesOf(result, output)])
          : results.flatMap(({ input, lists }) =>
              lists.flatMap(({ source, expressions }) => expressions.map((row) => ({ input, source, ...row }))),
            ),
      );
      return exitCodes.ok;
    });
  },
};

function linesOf(result: Explanation & { readonly input: string | null }, { paint }: Output): string[] {
  const { assets, override, lists } = result;
  return [
    lineOf(result, paint),
    ...assets.map(({ type, canonical }, at) => `  ${at === 0 ? 'read as ' : '        '} ${type}  ${canonical}`),
    ...(override === null ? [] : [`  override: ${override.action} ${override.expression}`]),
    ...lists.flatMap(({ source, algorithm, finding, expressions }) => [
      `  ${source} (${algorithm ?? 'no usable list'}): ${finding.status}, ${finding.reason}`,
      ...expressions.flatMap(({ expression, target, prefix, heldIn, known }, at) => {
        const isListed = heldIn !== 'nothing';
        const held = isListed ? paint('yellow', `in ${heldIn}${known ? `, ${known}` : ''}`) : paint('dim', 'not listed');
        const isNext = target > 0 && target !== expressions[at - 1]?.target;
        return [
          ...(isNext ? [`    ${paint('dim', `target ${target + 1}, judged alone:`)}`] : []),
          `    ${paint('cyan', prefix)}  ${expression}  ${held}`,
        ];
      }),
    ]),
  ];
}
