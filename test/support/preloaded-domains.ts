import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The 120,000 domains for which Firefox knows that they speak HTTPS alone: real sites from every country, many of them large. Firefox keeps
 * them in its library as a graph, which `tools/make_dafsa.py` of its source describes: a node is a text that ends in a byte with the high bit.
 * That is its last character, and the distances to the nodes that may come next follow, each counted from the one before, the last one with
 * the high bit; or it is below 160, and the name ends there.
 */
export function preloadedDomains(firefox: string): string[] {
  const bytes = readFileSync(join(dirname(realpathSync(firefox)), 'libxul.so'));
  const isEnd = (at: number): boolean => (bytes[at]! & 0xe0) === 0x80;

  function nextNodes(start: number): number[] {
    const nodes: number[] = [];
    for (let at = start, node = start; nodes.length < maxNext; ) {
      const first = bytes[at]!;
      const size = (first & 0x60) === 0x60 ? 3 : (first & 0x60) === 0x40 ? 2 : 1;
      if (size === 1) node += first & 0x3f;
      else node += size === 2 ? ((first & 0x1f) << 8) | bytes[at + 1]! : ((first & 0x1f) << 16) | bytes.readUInt16BE(at + 1);
      nodes.push(node);
      if (first >= 0x80) break;
      at += size;
    }
    return nodes;
  }

  /** Whether the graph has the name. */
  function has(start: number, name: string): boolean {
    return nextNodes(start).some((node) => {
      for (let at = node, length = 0; at < bytes.length; at++, length++) {
        if (isEnd(at)) return length === name.length;
        if ((bytes[at]! & 0x7f) !== name.charCodeAt(length)) return false;
        if (bytes[at]! >= 0x80) return has(at + 1, name.slice(length + 1));
      }
      return false;
    });
  }

  function collect(start: number, before: string, names: string[]): void {
    for (const node of nextNodes(start)) {
      let text = before;
      let at = node;
      for (; bytes[at]! < 0x80; at++) text += String.fromCharCode(bytes[at]!);
      if (isEnd(at)) names.push(text);
      else collect(at + 1, text + String.fromCharCode(bytes[at]! & 0x7f), names);
    }
  }

  // The compiler puts an array at a multiple of 16, after zeros.
  for (let start = 0; start < bytes.length - maxNext; start += 16) {
    if (bytes[start] === 0 || !known.every((name) => has(start, name))) continue;
    const names: string[] = [];
    collect(start, '', names);
    return names.filter((name) => name.includes('.'));
  }
  throw new Error('no list of preloaded domains in this Firefox');
}

/** Characters that a name can go on with. */
const maxNext = 64;
/** In no other graph of Firefox. */
const known = ['github.com', 'torproject.org'];
