import type { Asset, Blocklist } from 'portcullis';
import type { ActionRequest } from '../config.js';
import type { Judgement } from './judge.js';
import { tokenText } from './list-view.js';
import type { Requests } from './requests.js';
import { bytesText, countText, shown } from './shown.js';

export type Action = 'block' | 'allow';

/** How long an answer about a hit counts where the buttons change the list, in milliseconds: a change is to be seen soon. */
export const answersCountMs = 5_000;

/** What the buttons do: something to the list, or to what this browser makes of it. */
export interface Changes {
  readonly note: string;
  readonly labels: Readonly<Record<Action, string>>;
  /** Does it, and says what came of it. */
  run(action: Action, judgement: Judgement): Promise<string>;
}

/** On the service behind the page. Its list then brings the change, as it would to everybody. */
export function serviceChanges(blocklist: Blocklist, requests: Requests): Changes {
  return {
    note: 'Block files a report with the service behind this page and approves it; allow lifts a block there and publishes the list anew. Then this page syncs, like every other client.',
    labels: { block: 'Block on the service', allow: 'Allow on the service' },
    async run(action, judgement) {
      const content = action === 'allow' ? listedOf(judgement) : judgement.subject.assets[0]?.canonical;
      if (content === undefined) return 'There is nothing in the box that a list can hold.';
      const body: ActionRequest = { content };
      const answer = await requests.fetch(new URL(`actions/${action}`, document.baseURI).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.status !== 200) return `The service refused: ${await messageOf(answer)}`;
      const news = await newsOf(blocklist, requests, content);
      return action === 'allow' ? `${news} What was confirmed before counts for some seconds more.` : news;
    },
  };
}

/** Where there is nobody who takes reports. */
export function deviceChanges(blocklist: Blocklist): Changes {
  return {
    note: 'This list takes no reports. The buttons are overrides of this browser: they count at once, here alone, and leave the list as it is.',
    labels: { block: 'Block in this browser', allow: 'Allow in this browser' },
    async run(action, { subject }) {
      if (subject.assets.length === 0) return 'There is nothing in the box that a list can hold.';
      const { expression } = await blocklist[action](subject.input);
      return `${shown(expression)} is ${action === 'block' ? 'blocked' : 'allowed'} in this browser.`;
    },
  };
}

/** What is listed is what has to be lifted: of a page on a listed site, the site. */
function listedOf({ subject, verdict }: Judgement): string | undefined {
  const isLink = (asset: Asset | undefined): boolean => asset?.type === 'URL' || asset?.type === 'PAGE';
  const [asset] = subject.assets;
  return isLink(asset) ? (verdict.expression ?? asset?.canonical) : asset?.canonical;
}

async function messageOf(answer: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<string> {
  try {
    const { message } = JSON.parse(new TextDecoder().decode(await answer.arrayBuffer()));
    return typeof message === 'string' ? shown(message) : 'it did not say why.';
  } catch {
    return 'it did not say why.';
  }
}

/** A relay gives a version for a second or more, so the first round may still bring the old one. */
const roundsMax = 8;
const betweenRoundsMs = 700;

async function newsOf(blocklist: Blocklist, requests: Requests, content: string): Promise<string> {
  const before = blocklist.status().sources[0]!.list;
  const [count, received] = [requests.count, requests.receivedBytes];
  for (let round = 0; round < roundsMax; round++) {
    await blocklist.sync();
    const after = blocklist.status().sources[0]!.list;
    if (after === null) return 'The service took it, and the list cannot be fetched now.';
    const cost = `${countText(requests.count - count, 'request')}, ${bytesText(requests.receivedBytes - received)}`;
    const brings = (from: string | null | undefined, to: string | null): string =>
      `${tokenText(from)} → ${tokenText(to)} (${cost}).`;
    if (after.snapshotToken !== before?.snapshotToken) {
      return `${shown(content)}: a new snapshot brought the change, ${brings(before?.snapshotToken, after.snapshotToken)}`;
    }
    if (after.recentToken !== before.recentToken) {
      return `${shown(content)}: the recent feed brought the change, ${brings(before.recentToken, after.recentToken)}`;
    }
    await new Promise((resolve) => setTimeout(resolve, betweenRoundsMs));
  }
  return 'The service took it; the next sync brings it.';
}
