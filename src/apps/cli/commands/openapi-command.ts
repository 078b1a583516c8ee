import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';

export const openapi: Command = {
  summary: 'Print what is known of the service as an OpenAPI 3.1 document.',
  positionals: '',
  wordsHint: 'portcullis openapi > openapi.json',
  examples: [['openapi > openapi.json', 'To render it, or to generate from it']],
  options: {},
  notes: 'x-provenance says how sure each part is.',

  async run({ output }) {
    if (output.format === 'markdown' || output.format === 'csv') {
      throw new UsageError(`an OpenAPI document is JSON, and no ${output.format}`, 'leave --output out');
    }
    const { openApi } = await import('../../../api/operations/openapi.js');
    await output.raw(`${JSON.stringify(openApi(), null, 2)}\n`);
    return 0;
  },
};
