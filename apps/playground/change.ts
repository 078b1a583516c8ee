import { type Blocklist, detectAssets, type Explanation, explain } from 'portcullis';
import { jsonIn } from '../shared/json-text.js';
import type { ActionRequest } from '../shared/playground-config.js';
import type { Judgment } from './judge.js';
import { tokenText } from './list-view.js';
import type { Requests } from './requests.js';
import { bytesText, countText, shown } from './shown.js';
import { looksLikeKey } from './subject.js';

export type Action = 'block' | 'allow';

/** How long an answer about a hit is reused, in milliseconds; short, so that the page shows a change of the list soon. */
export const answerReuseMs = 5_000;

/** What the buttons change: the list on the service, or the overrides of this browser. */
export interface Changes {
  readonly note: string;
  readonly labels: Readonly<Record<Action, string>>;
  /** The asset that the action would change; `undefined` if there is none. */
  target(action: Action, judgment: Judgment): string | undefined;
  /** Runs the action and returns its result in words. */
  run(action: Action, judgment: Judgment): Promise<string>;
}

export const nothingToChange = 'No list can contain this.';
export const maybeKey = 'It looks like a private key or a transaction hash, so it is not sent.';

/** Changes the list of the service behind the page; the change comes back with the next sync. */
export function serviceChanges(blocklist: Blocklist, requests: Requests): Changes {
  const target = (action: Action, judgment: Judgment): string | undefined => {
    if (judgment.looks.length === 0) return undefined;
    return action === 'allow' ? listedOf(judgment) : judgment.subject.assets[0]?.canonical;
  };
  return {
    note: 'Both buttons send it to the service behind this page, which changes its list: it files a report and approves it, or lifts the block and publishes a new list. Then this page syncs, like every other client.',
    labels: { block: 'Add it to this list', allow: 'Remove it from this list' },
    target,
    async run(action, judgment) {
      const content = target(action, judgment);
      if (content === undefined) return nothingToChange;
      if (looksLikeKey(judgment.subject)) return maybeKey;
      // The request has no field for the type; the service detects it from the text.
      if (detectAssets(content).length === 0) return 'The service cannot detect the type of a name alone; enter a link to it.';
      if (requests.isOffline) return 'Offline is simulated: nothing was sent.';
      const arrival = watchFor(action, content, blocklist, requests);
      const body: ActionRequest = { content };
      const answer = await requests.fetch(new URL(`actions/${action}`, document.baseURI).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.status !== 200) return `The service says: ${await messageOf(answer)}`;
      const told = await arrival();
      return action === 'allow' ? `${told} Earlier answers stay valid for a few seconds.` : told;
    },
  };
}

/** For a list without a service: sets overrides in this browser. */
export function deviceChanges(blocklist: Blocklist): Changes {
  return {
    note: 'The list itself stays as it is. Your choice is an override: it counts more than the list, in this browser only, and nothing is sent.',
    labels: { block: 'Block it in this browser', allow: 'Allow it in this browser' },
    target: (_, { looks }) => looks[0]?.expression,
    async run(action, { subject }) {
      if (subject.assets.length === 0) return nothingToChange;
      if (looksLikeKey(subject)) return maybeKey;
      const { expression } = await blocklist[action](subject.input);
      return `${shown(expression)} is ${action === 'block' ? 'blocked' : 'allowed'} in this browser.`;
    },
  };
}

/** The listed asset, because only a listed asset can be unblocked: for a page on a listed site, this is the site. */
function listedOf({ subject, verdict }: Judgment): string | undefined {
  const [asset] = subject.assets;
  const isLink = asset?.type === 'URL' || asset?.type === 'PAGE';
  return isLink ? (verdict.expression ?? asset.canonical) : asset?.canonical;
}

async function messageOf(answer: Response): Promise<string> {
  const { message } = Object(jsonIn(await answer.text().catch(() => '')));
  return typeof message === 'string' ? shown(message) : 'the request was rejected without a reason.';
}

/** A relay caches the version for a second or more, so the first sync may still see the old one. */
const maxRounds = 8;
const betweenRoundsMs = 700;

/** Remembers the list before a change. @returns a function that waits until a sync brings the change back */
function watchFor(action: Action, content: string, blocklist: Blocklist, requests: Requests): () => Promise<string> {
  const listNow = () => blocklist.status().sources[0]!.list;
  const before = listNow();
  const held = heldIn(explain(blocklist, content));
  const { count, receivedBytes } = requests;

  /** Compares this asset's entries only, because other people change the list too. */
  function isChanged(): boolean {
    const now = heldIn(explain(blocklist, content));
    const [more, fewer] = action === 'block' ? [now, held] : [held, now];
    return [...more].some((expression) => !fewer.has(expression));
  }

  function told(list: { readonly snapshotToken: string; readonly recentToken: string | null }): string {
    const cost = `${countText(requests.count - count, 'request')}, ${bytesText(requests.receivedBytes - receivedBytes)}`;
    const [by, from, to] =
      list.snapshotToken === before?.snapshotToken
        ? ['the recent feed', before.recentToken, list.recentToken]
        : ['a new snapshot', before?.snapshotToken, list.snapshotToken];
    return `${shown(content)}: ${by} brought the change, ${tokenText(from)} → ${tokenText(to)} (${cost}).`;
  }

  return async () => {
    for (let round = 0; round < maxRounds; round++) {
      await blocklist.sync();
      const list = listNow();
      if (list === null) return 'The service accepted it, but the list cannot be fetched now.';
      if (action === 'allow' && held.size === 0) return 'The service accepted it; the list did not contain it.';
      if (isChanged()) return told(list);
      if (action === 'allow' && list.recentToken !== before?.recentToken) {
        return `${told(list)} Until the next snapshot this browser still has its four bytes, and the server answers that they belong to another entry.`;
      }
      await new Promise((resolve) => setTimeout(resolve, betweenRoundsMs));
    }
    return 'The service accepted it; no sync has brought the change yet.';
  };
}

function heldIn({ lists }: Explanation): ReadonlySet<string> {
  const expressions = lists.flatMap((list) => list.expressions);
  return new Set(expressions.filter((one) => one.heldIn === 'base' || one.heldIn === 'recent').map((one) => one.expression));
}
