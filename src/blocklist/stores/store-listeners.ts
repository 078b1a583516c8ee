export type Listener = (name: string) => void;

/** Who wants to hear of commits. Whoever committed hears it too: several blocklists may share the store. */
export interface Listeners {
  add(listener: Listener): () => void;
  tell(name: string): void;
  /** At the close: nobody hears anything any more. */
  clear(): void;
}

export function listenersOf(changed: (count: number) => void = () => {}): Listeners {
  // By place, because one function may be added twice and taken away once.
  const all = new Set<{ readonly listener: Listener }>();
  return {
    add(listener) {
      const place = { listener };
      all.add(place);
      changed(all.size);
      return () => {
        if (all.delete(place)) changed(all.size);
      };
    },
    clear() {
      all.clear();
      changed(0);
    },
    tell(name) {
      for (const place of [...all]) {
        // After the commit has resolved. A listener that throws must not fail a commit that is done.
        void Promise.resolve(name)
          .then((told) => (all.has(place) ? place.listener(told) : undefined))
          .catch(() => {});
      }
    },
  };
}
