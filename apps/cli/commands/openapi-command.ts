import type { Command } from '../command.js';
import { UsageError } from '../errors/usage.js';

export const openapi: Command = {
  summary: 'Print the API of the service as an OpenAPI 3.1 document.',
  positionals: '',
  argumentHint: 'portcullis openapi > openapi.json',
  examples: [
    ['openapi > openapi.json', 'For rendering or code generation'],
    ["openapi | jq '.paths | keys'", 'Prints the paths'],
  ],
  options: {},
  notes: 'x-provenance says how certain each part is.',

  async run({ output }) {
    if (output.format === 'markdown' || output.format === 'csv') {
      throw new UsageError(`openapi prints JSON, which cannot be written as ${output.format}`, 'omit --output');
    }
    const { openApi } = await import('portcullis/client');
    await output.json(`${JSON.stringify(openApi(), null, 2)}\n`);
    return 0;
  },
};
