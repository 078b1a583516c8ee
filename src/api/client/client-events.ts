import type { Issue } from '../../core/errors.js';
import type { ClientEvent } from './client-types.js';

/** Receives events that are not errors of a call. */
export interface ClientEvents {
  emit(event: ClientEvent): void;
  /** Emits only the first event of this type for each operation. */
  emitOnce(event: ClientEvent & { operation: string }): void;
  /** Emits the differences of a response in fields that no earlier event named, whatever item of a list they were in. */
  emitMismatch(operation: string, issues: readonly Issue[]): void;
}

export function createEvents(onEvent: ((event: ClientEvent) => void) | undefined): ClientEvents {
  // As many as the table has fields: a path only consists of their names and of indices.
  const emitted = new Set<string>();
  const isNew = (key: string): boolean => !emitted.has(key) && Boolean(emitted.add(key));
  const emit = (event: ClientEvent): void => notify(onEvent, event);
  return {
    emit,
    emitOnce(event) {
      if (isNew(`${event.type} ${event.operation}`)) emit(event);
    },
    emitMismatch(operation, found) {
      const issues = found.filter(({ path }) => isNew(`${operation} ${path.replace(/\[\d+\]/g, '[]')}`));
      if (issues.length > 0) emit({ type: 'response-mismatch', operation, issues });
    },
  };
}

/** Calls a listener. One that throws or rejects must not fail the call; docs/client.md says that its errors are ignored. */
export function notify<Value>(listener: ((value: Value) => unknown) | undefined, value: Value): void {
  new Promise((resolve) => resolve(listener?.(value))).catch(() => {});
}
