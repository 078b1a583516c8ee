import type { AssetRecord } from '../state/state-tables.js';

/** What a lookup would tell about the host of a link. */
export interface HostFacts {
  readonly registrar: { readonly id: number; readonly name: string };
  readonly countryCode: string;
  readonly hasMxRecords: boolean;
  readonly isReachable: boolean;
}

const byEnd: Readonly<Record<string, Pick<HostFacts, 'registrar' | 'countryCode'>>> = {
  example: { registrar: { id: 1, name: 'Example Registrar' }, countryCode: 'US' },
  test: { registrar: { id: 2, name: 'Test Registrar' }, countryCode: 'DE' },
};
const elsewhere = { registrar: { id: 3, name: 'Other Registrar' }, countryCode: 'SG' };

/** Who hosts every link. */
export const hostingProvider = { id: 1, name: 'Example Hosting' } as const;

/** Simulated from the name alone: nothing is looked up, and a test can predict what a filter finds (docs/service.md). */
export function hostFacts({ type, content }: Pick<AssetRecord, 'type' | 'content'>): HostFacts | null {
  if (type !== 'URL' && type !== 'PAGE') return null;
  const labels = content.split(/[/?]/, 1)[0]!.split('.');
  const end = labels[labels.length - 1]!;
  const hosted = Object.hasOwn(byEnd, end) ? byEnd[end]! : elsewhere;
  return { ...hosted, hasMxRecords: labels[0] === 'mail', isReachable: labels[0] !== 'unreachable' };
}

/** The threat actor behind a report with one of these assets: the only one there is works with drainers. */
export function threatActorOf(assets: readonly Pick<AssetRecord, 'content'>[]): { id: number; name: string } | null {
  return assets.some(({ content }) => content.toLowerCase().includes('drain')) ? { id: 1, name: 'Example Drainer' } : null;
}
