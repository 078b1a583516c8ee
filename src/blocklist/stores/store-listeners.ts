export type Listener = (name: string) => void;

/** Listeners for commits. They are also notified of the commits of this object, because several blocklists may share it. */
export interface Listeners {
  add(listener: Listener): () => void;
  notify(name: string): void;
  /** Removes all listeners. */
  clear(): void;
}

export function listenersOf(changed: (count: number) => void = () => {}): Listeners {
  // Each listener is wrapped in an object, so that one function can be added twice and removed once.
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
    notify(name) {
      for (const place of [...all]) {
        // Called in a later turn, so that the commit resolves first and a listener that throws does not fail it.
        void Promise.resolve(name)
          .then((committed) => (all.has(place) ? place.listener(committed) : undefined))
          .catch(() => {});
      }
    },
  };
}
