/** A listener whose errors are ignored: one that fails must neither change an answer nor end the process. */
export function quietly<Value>(listener: ((value: Value) => unknown) | undefined): (value: Value) => void {
  return (value) => {
    try {
      listener?.(value);
    } catch {
      // Only its own.
    }
  };
}
