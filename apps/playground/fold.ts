import { tabMemory } from './tab-memory.js';

/** The name of the open folds in the memory of the tab. */
const key = 'portcullis-playground-open';

/** The ids of the folds that the user has opened. */
const open = new Set(tabMemory.read(key)?.split(' '));

/** Opens a fold that the user had open, also before a reload, and remembers how the user leaves it. */
export function keepFold(fold: HTMLDetailsElement): void {
  fold.open = open.has(fold.id);
  // At the click: the event `toggle` comes too late for a reload that follows at once.
  fold.querySelector('summary')?.addEventListener('click', () => {
    if (fold.open) open.delete(fold.id);
    else open.add(fold.id);
    tabMemory.write(key, [...open].join(' '));
  });
}
