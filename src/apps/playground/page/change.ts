import { type Blocklist, detectAssets, type Explanation } from 'portcullis';
import type { ActionRequest } from '../playground-config.js';
import type { Judgement } from './judge.js';
import { tokenText } from './list-view.js';
import type { Requests } from './requests.js';
import { bytesText, countText, shown } from './shown.js';
import { looksLikeKey } from './subject.js';

export type Action = 'block' | 'allow';

/** How long an answer about a hit counts where the buttons change the list, in milliseconds: a change is to be seen soon. */
export const answersCountMs = 5_000;

/** What the buttons do: something to the list, or to what this browser makes of it. */
export interface Changes {
  readonly note: string;
  readonly labels: Readonly<Record<Action, string>>;
  /** What it would be done to; `undefined` where there is nothing. */
  target(action: Action, judgement: Judgement): string | undefined;
  /** Does it, and says what came of it. */
  run(action: Action, judgement: Judgement): Promise<string>;
}

const nothingToChange = 'There is nothing in the box that a list can hold.';
const maybeKey = 'It has the shape of a private key or a transaction, so it is sent nowhere.';

/** On the service behind the page. Its list then brings the change, as it would to everybody. */
export function serviceChanges(blocklist: Blocklist, requests: Requests): Changes {
  const target = (action: Action, judgement: Judgement): string | undefined =>
    action === 'allow' ? listedOf(judgement) : judgement.subject.assets[0]?.canonical;
  return {
    note: 'Block files a report with the service behind this page and approves it; allow lifts a block there and publishes the list anew. Then this page syncs, like every other client.',
    labels: { block: 'Block on the service', allow: 'Allow on the service' },
    target,
    async run(action, judgement) {
      const content = target(action, judgement);
      if (content === undefined) return nothingToChange;
      if (looksLikeKey(judgement.subject)) return maybeKey;
      // The service is sent a text alone, and finds its type by itself.
      if (detectAssets(content).length === 0) return 'The service needs a link to it: the name alone does not tell its type.';
      if (requests.isOffline) return 'The Offline switch is on: nothing was sent.';
      const news = new News(blocklist, requests, content);
      const body: ActionRequest = { content };
      const answer = await requests.fetch(new URL(`actions/${action}`, document.baseURI).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (answer.status !== 200) return `The service says: ${await messageOf(answer)}`;
      const told = await news.after(action);
      return action === 'allow' ? `${told} What was confirmed before counts for some seconds more.` : told;
    },
  };
}

/** Where there is nobody who takes reports. */
export function deviceChanges(blocklist: Blocklist): Changes {
  return {
    note: 'This list takes no reports. The buttons are overrides of this browser: they count at once, here alone, and leave the list as it is.',
    labels: { block: 'Block in this browser', allow: 'Allow in this browser' },
    target: (_, { looks }) => looks[0]?.expression,
    async run(action, { subject }) {
      if (subject.assets.length === 0) return nothingToChange;
      if (looksLikeKey(subject)) return maybeKey;
      const { expression } = await blocklist[action](subject.input);
      return `${shown(expression)} is ${action === 'block' ? 'blocked' : 'allowed'} in this browser.`;
    },
  };
}

/** What is listed is what has to be lifted: of a page on a listed site, the site. */
function listedOf({ subject, verdict }: Judgement): string | undefined {
  const [asset] = subject.assets;
  const isLink = asset?.type === 'URL' || asset?.type === 'PAGE';
  return isLink ? (verdict.expression ?? asset.canonical) : asset?.canonical;
}

async function messageOf(answer: { arrayBuffer(): Promise<ArrayBuffer> }): Promise<string> {
  try {
    const { message } = JSON.parse(new TextDecoder().decode(await answer.arrayBuffer()));
    return typeof message === 'string' ? shown(message) : 'no, and not why.';
  } catch {
    return 'no, and not why.';
  }
}

/** A relay gives a version for a second or more, so the first round may still bring the old one. */
const roundsMax = 8;
const betweenRoundsMs = 700;

/** How a change comes back by the list. What was there before is read when it is made: a round may be under way already. */
class News {
  private readonly blocklist: Blocklist;
  private readonly requests: Requests;
  private readonly content: string;
  private readonly before;
  private readonly held: ReadonlySet<string>;
  private readonly count: number;
  private readonly received: number;

  constructor(blocklist: Blocklist, requests: Requests, content: string) {
    this.blocklist = blocklist;
    this.requests = requests;
    this.content = content;
    this.before = blocklist.status().sources[0]!.list;
    this.held = heldIn(blocklist.explain(content));
    this.count = requests.count;
    this.received = requests.receivedBytes;
  }

  async after(action: Action): Promise<string> {
    for (let round = 0; round < roundsMax; round++) {
      await this.blocklist.sync();
      const list = this.blocklist.status().sources[0]!.list;
      if (list === null) return 'The service took it, and the list cannot be fetched now.';
      if (action === 'allow' && this.held.size === 0) return 'The service took it; the list did not hold it.';
      if (this.isChanged(action)) return this.told(list);
      if (action === 'allow' && list.recentToken !== this.before?.recentToken) {
        return `${this.told(list)} Until the next snapshot this browser still holds its four bytes, and is told that they are not its own.`;
      }
      await new Promise((resolve) => setTimeout(resolve, betweenRoundsMs));
    }
    return 'The service took it; no sync has brought it yet.';
  }

  /** Other changes may come meanwhile, of other people's. */
  private isChanged(action: Action): boolean {
    const now = heldIn(this.blocklist.explain(this.content));
    return action === 'block'
      ? [...now].some((expression) => !this.held.has(expression))
      : [...this.held].some((expression) => !now.has(expression));
  }

  private told(list: { readonly snapshotToken: string; readonly recentToken: string | null }): string {
    const { before, requests } = this;
    const cost = `${countText(requests.count - this.count, 'request')}, ${bytesText(requests.receivedBytes - this.received)}`;
    const isNewSnapshot = list.snapshotToken !== before?.snapshotToken;
    const [by, from, to] = isNewSnapshot
      ? ['a new snapshot', before?.snapshotToken, list.snapshotToken]
      : ['the recent feed', before.recentToken, list.recentToken];
    return `${shown(this.content)}: ${by} brought the change, ${tokenText(from)} → ${tokenText(to)} (${cost}).`;
  }
}

function heldIn({ lists }: Explanation): ReadonlySet<string> {
  const expressions = lists.flatMap((list) => list.expressions);
  return new Set(expressions.filter((one) => one.heldIn === 'base' || one.heldIn === 'recent').map((one) => one.expression));
}
