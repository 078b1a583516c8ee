import type { ClientEvent } from './client-types.js';

/** Receives events that are not errors of a call. */
export interface ClientEvents {
  emit(event: ClientEvent): void;
  /** Emits only the first event of this type for each operation. */
  emitOnce(event: ClientEvent & { operation: string }): void;
}

export function createEvents(onEvent: ((event: ClientEvent) => void) | undefined): ClientEvents {
  const emitted = new Set<string>();
  const emit = (event: ClientEvent): void => {
    try {
      onEvent?.(event);
    } catch {
      // A failing listener must not fail the call.
    }
  };
  return {
    emit,
    emitOnce(event) {
      const key = `${event.type} ${event.operation}`;
      if (emitted.has(key)) return;
      emitted.add(key);
      emit(event);
    },
  };
}
