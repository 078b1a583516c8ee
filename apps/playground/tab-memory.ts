/** What is kept while a tab is open, across reloads. In a private window nothing is. */
export const tabMemory = {
  /** `null` if nothing is kept under this name. */
  read(name: string): string | null {
    try {
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  },
  write(name: string, text: string): void {
    try {
      sessionStorage.setItem(name, text);
    } catch {
      // The next page starts without it.
    }
  },
};
