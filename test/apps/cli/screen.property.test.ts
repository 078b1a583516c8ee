import fc from 'fast-check';
import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { answerOf, lineReaderOf } from '../../../apps/cli/lists/screening.js';
import { anyCodePoint } from '../../support/arbitraries.js';
import { propertyRuns } from '../../support/setup.js';

test('any JSON in a line gets an answer or an error', async () => {
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: 'evil.example\n' })] });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  const reader = lineReaderOf((content) => content, true);
  const oddly = fc.oneof(fc.jsonValue(), fc.constantFrom('URL', 'twitter', 'evil.example', 'eth', null, ['URL']));
  const line = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { content: fc.oneof(fc.string({ unit: anyCodePoint }), oddly), type: oddly, chain: oddly },
      { requiredKeys: ['content'] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(line, async (value) => {
      const asked = reader({ number: 1, text: JSON.stringify(value) });
      if (asked === null || asked.error !== undefined) return;
      const verdict = blocklist.test(asked.input);
      expect(await blocklist.checkMany([asked.input])).toHaveLength(1);
      expect(() => JSON.parse(answerOf(1, asked.input, verdict))).not.toThrow();
    }),
    { numRuns: 5 * propertyRuns },
  );
});
