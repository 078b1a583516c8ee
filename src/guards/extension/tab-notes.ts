/** What the worker knows about a tab until it ends. The tab's passes and warnings outlive it, in the state. */
export interface TabNote {
  /** The origin of the page that the tab shows; `undefined` if a worker that has just started has not seen it. */
  shown?: string | null;
  /** The origin that it shows or goes to. */
  heading?: string | null;
  /** The page that it asked for last. */
  requested?: string;
  /** A link that the worker opens from its gate page, until the browser asks about it. */
  reopening?: string | undefined;
  /** The link up to its fragment that it asked for, if the address of the gate page spells it in another way. */
  exactHead?: string | undefined;
  /** How often a chain of redirects went on. */
  continuations?: number;
}

/** One note for each open tab. */
export interface TabNotes {
  of(tabId: number): TabNote;
  all(): Iterable<TabNote>;
  forget(tabId: number): void;
}

export function keepTabNotes(): TabNotes {
  const notes = new Map<number, TabNote>();
  return {
    of(tabId) {
      const note = notes.get(tabId) ?? {};
      notes.set(tabId, note);
      return note;
    },
    all: () => notes.values(),
    forget: (tabId) => void notes.delete(tabId),
  };
}

/** Whether a verdict that arrives late is about a page that the tab has left. Unknown, because the worker has just started, is not elsewhere. */
export const isElsewhere = (known: string | null | undefined, origin: string): boolean => known !== undefined && known !== origin;
