import type { Example, PlaygroundConfig } from '../shared/playground-config.js';

/** @throws Error if it names no list */
export function configOf(value: unknown): PlaygroundConfig {
  const { kind, baseUrl, url, canAct, examples } = Object(value) as Record<string, unknown>;
  const common = { examples: Array.isArray(examples) ? examples.filter(isExample) : [] };
  if (kind === 'relay' && typeof baseUrl === 'string') return { kind, baseUrl, canAct: canAct === true, ...common };
  if (kind === 'published' && typeof url === 'string') return { kind, url, ...common };
  throw new Error('config.json is malformed; it must name a relay or a published list');
}

function isExample(value: unknown): value is Example {
  const { name, text } = Object(value) as Partial<Example>;
  return typeof name === 'string' && typeof text === 'string';
}
