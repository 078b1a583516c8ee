/** What the worker knows about a tab until it ends. The tab's passes and warnings outlive it, in the state. */
export interface TabNote {
  /** The origin of the page that the tab shows; `undefined` if a worker that has just started has not seen it. */
  shown?: string | null;
  /** How many pages it began to load. */
  starts?: number;
  /** How many pages it has loaded. */
  commits?: number;
  /** How many warnings it was sent to. */
  warnings?: number;
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
  /** Whether the tab is open and has loaded no other page since this call. `isLoading`: and has begun to load none. */
  stay(tabId: number, isLoading?: boolean): () => boolean;
  /** Whether the tab still has the page, or one of its origin: by reloading, a page could put off its warning. */
  stayNear(tabId: number): () => boolean;
  forget(tabId: number): void;
}

export function keepTabNotes(): TabNotes {
  const notes = new Map<number, TabNote>();
  function of(tabId: number): TabNote {
    const note = notes.get(tabId) ?? {};
    notes.set(tabId, note);
    return note;
  }
  function stay(tabId: number, isLoading = false): () => boolean {
    const note = of(tabId);
    const { starts, commits } = note;
    return () => notes.get(tabId) === note && note.commits === commits && (!isLoading || note.starts === starts);
  }
  return {
    of,
    all: () => notes.values(),
    stay,
    stayNear(tabId) {
      const isHere = stay(tabId);
      const { shown } = of(tabId);
      return () => isHere() || (shown !== undefined && notes.get(tabId)?.shown === shown);
    },
    forget: (tabId) => void notes.delete(tabId),
  };
}
