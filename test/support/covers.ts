import { hashOf } from 'portcullis';

/** The covers of a list (docs/formats.md §10), computed another way than by the publisher. */
export function coversOf(expressions: readonly string[]): Uint8Array[] {
  const hosts = expressions.flatMap((expression) => /^(?:[\w-]+\.)*?([\w-]+\.[a-z][\w-]*)(?=[/?]|$)/.exec(expression)?.[1] ?? []);
  return [...new Set(hosts.filter((host) => !expressions.every((one) => one === host || !isBelow(one, host))))].map((host) => {
    const hash = hashOf(host);
    return hash.map((byte, at) => (at === 3 ? byte ^ 1 : byte));
  });
}

function isBelow(expression: string, host: string): boolean {
  return expression.split(/[/?]/)[0]!.endsWith(`.${host}`) || /^[/?]/.test(expression.replace(host, ''));
}
