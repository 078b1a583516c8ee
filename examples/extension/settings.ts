import type { GuardMode } from 'portcullis/extension';
import type { VerdictAction } from 'portcullis/light';

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

interface Area {
  get(keys: string[]): Promise<Partial<Record<keyof Settings, string>>>;
}

export interface SettingsStorage {
  readonly local: Area & { set(values: Partial<Settings>): Promise<void> };
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
  const [own, policy] = await Promise.all([storage.local.get(names), policyIn(storage.managed)]);
  const given = { ...usable(own), ...usable(policy) };
  return { settings: { ...defaults, ...given }, managed: Object.keys(usable(policy)) as (keyof Settings)[] };
}

/** Right after the extension is installed, Chromium never answers the first question, and the second one at once. */
async function policyIn(area: Area): Promise<Partial<Record<keyof Settings, string>>> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 200));
    // Firefox rejects if there is no policy.
    const policy = await Promise.race([area.get(names).catch(() => ({})), late]);
    if (policy !== null) return policy;
  }
  return {};
}

function usable(values: Partial<Record<keyof Settings, unknown>>): Partial<Settings> {
  const isUsable = (name: keyof Settings): boolean => {
    const value = values[name];
    const allowed = choices[name as keyof typeof choices] as readonly unknown[] | undefined;
    return (
      typeof value === 'string' && (allowed?.includes(value) ?? (name === 'url' ? isWebAddress(value) : isReportAddress(value)))
    );
  };
  return Object.fromEntries(names.filter(isUsable).map((name) => [name, values[name]]));
}

/** What a source of the library takes. `options.ts` tries to make one too, but the gate page stays small without. */
export function isWebAddress(text: string): boolean {
  const { protocol, hostname, username, password, search, hash } = parse(text);
  if (username + password + search + hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1');
}

export function isReportAddress(text: string): boolean {
  return text === '' || ['https:', 'mailto:'].includes(parse(text).protocol);
}

const parse = (text: string): URL => new URL(URL.canParse(text) ? text : 'none:');
