/** A holder without a sign of life for this long was killed, in milliseconds. */
const lockStaleMs = 2_000;

/** Runs while no other process that names this folder does. The folder is made, and stays. */
export async function lockedBy<T>(directory: string, run: () => Promise<T>): Promise<T> {
  const { fileStore } = await import('portcullis/stores/file');
  const store = fileStore({ directory, lockStaleMs });
  try {
    await store.open();
    return await store.lock!(run);
  } finally {
    await store.close();
  }
}
