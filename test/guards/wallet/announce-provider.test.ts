import { type AnnouncementOptions, announceProvider } from 'portcullis/wallet';
import { expect, test } from 'vitest';

const provider = { request: async () => null };
const info = { name: 'Wallet', icon: 'data:image/png;base64,AAAA', rdns: 'com.example.wallet' };

interface Detail {
  readonly info: Record<string, string>;
  readonly provider: unknown;
}

/** A page that keeps what is announced to it. */
function page(): { target: EventTarget; announced: Detail[]; ask(): void } {
  const target = new EventTarget();
  const announced: Detail[] = [];
  target.addEventListener('eip6963:announceProvider', (event) => announced.push((event as CustomEvent<Detail>).detail));
  return { target, announced, ask: () => void target.dispatchEvent(new Event('eip6963:requestProvider')) };
}

test('announces a provider at once, whenever a site asks, and no more after its end', () => {
  const { target, announced, ask } = page();
  const stop = announceProvider(provider, { ...info, target });
  expect(announced).toHaveLength(1);
  ask();
  ask();
  expect(announced).toHaveLength(3);
  for (const { info: shown, provider: given } of announced) {
    expect(shown).toEqual({ ...info, uuid: announced[0]!.info['uuid'] });
    expect(given).toBe(provider);
  }
  stop();
  ask();
  expect(announced).toHaveLength(3);
});

test('the announcement cannot be changed by a site that hears it', () => {
  const { target, announced } = page();
  announceProvider(provider, { ...info, target });
  const detail = announced[0]! as { provider: unknown; info: Record<string, string> };
  expect(() => {
    detail.provider = {};
  }).toThrow(TypeError);
  expect(() => {
    detail.info['name'] = 'Another wallet';
  }).toThrow(TypeError);
});

test('every announcement has a UUID of its own, or the one that is given', () => {
  const { target, announced } = page();
  for (let at = 0; at < 100; at++) announceProvider(provider, { ...info, target });
  const ids = announced.map(({ info: { uuid } }) => uuid!);
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const uuid = '350670db-19fa-4704-a166-e52e178b59d2';
  announceProvider(provider, { ...info, uuid, target });
  expect(announced.at(-1)!.info['uuid']).toBe(uuid);
});

test.each<[Partial<Record<keyof AnnouncementOptions, unknown>>, RegExp]>([
  [{ name: ' ' }, /name must be a name/],
  [{ icon: 'https://wallet.example/icon.png' }, /icon must be a data URI of an image/],
  [{ icon: 'data:text/html,<script>' }, /icon must be a data URI of an image/],
  [{ rdns: 'wallet' }, /rdns must be a domain backwards/],
  [{ rdns: 'https://wallet.example' }, /rdns must be a domain backwards/],
  [{ uuid: '350670db-19fa-1704-a166-e52e178b59d2' }, /uuid must be a UUID of version 4/],
  [{ target: {} }, /target must be a window/],
])('refuses %j', (wrong, message) => {
  const { target, announced } = page();
  expect(() => announceProvider(provider, { ...info, target, ...wrong } as AnnouncementOptions)).toThrow(message);
  expect(announced).toEqual([]);
});
