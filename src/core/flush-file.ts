/**
 * Waits until the content of a file or folder is on the disk. Node 26 forbids that in a process with its permission model: what is written then
 * survives the end of the process, but a power failure may take the newest write, and leave a file that is empty or cut. A store notices that by its checksums.
 */
export async function flushFile(handle: { sync(): Promise<void> }): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== 'ERR_ACCESS_DENIED') throw error;
  }
}
