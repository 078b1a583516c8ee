import type { GuardMode } from 'portcullis/extension';
import type { VerdictAction } from 'portcullis/light';
import { listAddress } from './list-address.js';

/** What users and administrators may choose. `managed-schema.json` names the same fields. */
export interface Settings {
  readonly source: 'published' | 'relay';
  readonly url: string;
  readonly mode: GuardMode;
  /** What happens to pages while there is no list. */
  readonly unknown: VerdictAction;
  /** Where "report a mistake" leads: an https: or mailto: address that may contain `{url}`. Without one there is no button. */
  readonly reportUrl: string;
}

type Values = Partial<Record<keyof Settings, string>>;

interface Area {
  get(keys: string[]): Promise<Values & { readonly policy?: Values }>;
}

export interface SettingsStorage {
  readonly local: Area & { set(values: Partial<Settings> | { policy: Values }): Promise<void> };
  readonly managed: Area;
  readonly onChanged: { addListener(listener: (changes: object, area: string) => void): void };
}

/** Set when the extension is built. */
declare const LIST_URL: string;

export const choices = {
  source: ['published', 'relay'],
  mode: ['gate', 'replace', 'observe'],
  unknown: ['allow', 'warn', 'block'],
} as const;

const defaults: Settings = { source: 'published', url: LIST_URL, mode: 'gate', unknown: 'allow', reportUrl: '' };
const names = Object.keys(defaults) as (keyof Settings)[];

/** The user's settings; the administrator's win. A value that is not a choice counts as none. */
export async function readSettings(
  storage: SettingsStorage,
): Promise<{ settings: Settings; managed: readonly (keyof Settings)[] }> {
  const { policy: known, ...own } = await storage.local.get([...names, 'policy']);
  const asked = askPolicy(storage, known);
  // For minutes after an installation Chromium does not answer at all, and each page that wakes the worker would wait.
  const policy = known ?? (await asked);
  const given = { ...usable(own), ...usable(policy) };
  return { settings: { ...defaults, ...given }, managed: Object.keys(usable(policy)) as (keyof Settings)[] };
}

/** What the administrator has decided. If that is news, it is stored, and the storage tells the worker that it changed. */
async function askPolicy({ local, managed }: SettingsStorage, known: Values | undefined): Promise<Values> {
  const policy = usable((await policyIn(managed)) ?? known ?? {});
  if (known === undefined || names.some((name) => known[name] !== policy[name])) await local.set({ policy });
  return policy;
}

/** `null` without an answer. */
async function policyIn(area: Area): Promise<Values | null> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 200));
    // Firefox rejects if there is no policy.
    const policy = await Promise.race([area.get(names).catch(() => ({})), late]);
    if (policy !== null) return policy;
  }
  return null;
}

function usable(values: Partial<Record<keyof Settings, unknown>>): Partial<Settings> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = usableValue(name, values[name]);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function usableValue(name: keyof Settings, value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (name === 'url') return listAddress(value) || null;
  const isUsable = name === 'reportUrl' ? isReportAddress(value) : (choices[name] as readonly string[]).includes(value);
  return isUsable ? value : null;
}

export function isReportAddress(text: string): boolean {
  return text === '' || (URL.canParse(text) && ['https:', 'mailto:'].includes(new URL(text).protocol));
}
