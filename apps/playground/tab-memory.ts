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

/** The name of the open folds in the memory of the tab. */
const key = 'portcullis-playground-open';

/** The ids of the folds that the user has opened. */
const open = new Set((tabMemory.read(key) ?? '').split(' '));

/** Opens a fold that the user had open, also before a reload, and remembers how the user leaves it. */
export function keepFold(fold: HTMLDetailsElement): void {
  fold.open = open.has(fold.id);
  fold.addEventListener('toggle', () => {
    if (fold.open) open.add(fold.id);
    else open.delete(fold.id);
    tabMemory.write(key, [...open].join(' '));
  });
}
