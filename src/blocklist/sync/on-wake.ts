/** The globals of pages and workers; bare engines and Node have neither. */
interface EventHost {
  readonly addEventListener?: (type: string, listener: () => void) => void;
  readonly removeEventListener?: (type: string, listener: () => void) => void;
}

/** Calls the listener when the network is back or the machine has woken up. Returns a function that removes it. */
export function onWake(listener: () => void): () => void {
  const { addEventListener, removeEventListener } = globalThis as EventHost;
  if (typeof addEventListener !== 'function' || typeof removeEventListener !== 'function') return () => {};
  for (const type of ['online', 'resume', 'pageshow']) addEventListener.call(globalThis, type, listener);
  return () => {
    for (const type of ['online', 'resume', 'pageshow']) removeEventListener.call(globalThis, type, listener);
  };
}
