/** Reads IPv4 and IPv6 in every spelling that browsers accept (WHATWG URL §3.5) and writes one. */

/** Whether the last label is a number, so that the host is an IPv4 address or invalid. */
export function endsInNumber(host: string): boolean {
  const start = host.lastIndexOf('.') + 1;
  const first = host.charCodeAt(start);
  return first >= 0x30 && first <= 0x39 && numberLabel.test(host.slice(start));
}

const numberLabel = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/** Dotted decimal from one to four parts in decimal, octal or hex; `null` if a part is not a number or too large. */
export function canonicalIpv4(host: string): string | null {
  const parts: number[] = [];
  for (let start = 0; start <= host.length; ) {
    const dot = host.indexOf('.', start);
    const end = dot < 0 ? host.length : dot;
    if (parts.length === 4) return null;
    const value = ipv4Part(host, start, end);
    if (value < 0) return null;
    parts.push(value);
    start = end + 1;
  }
  const last = parts.pop();
  if (last === undefined || last >= 256 ** (4 - parts.length)) return null;
  let address = last;
  for (let i = 0; i < parts.length; i++) {
    if (parts[i]! > 255) return null;
    address += parts[i]! * 256 ** (3 - i);
  }
  return dottedDecimal(address);
}

/** The value, or -1 if it is not a number. It stops growing past 2^32, so that any number of digits can be rejected. */
function ipv4Part(host: string, start: number, end: number): number {
  if (start === end) return -1;
  let at = start;
  let base = 10;
  if (host.charCodeAt(at) === 0x30 && end - at > 1) {
    base = 8;
    at++;
    if (host.charCodeAt(at) === 0x78) {
      base = 16;
      at++;
    }
  }
  let value = 0;
  for (; at < end; at++) {
    const code = host.charCodeAt(at);
    const digit = code >= 0x61 && code <= 0x66 ? code - 0x57 : code >= 0x30 && code <= 0x39 ? code - 0x30 : base;
    if (digit >= base) return -1;
    if (value < 0x1_0000_0000) value = value * base + digit;
  }
  return value;
}

function dottedDecimal(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/**
 * The bracketed RFC 5952 form of the text between the brackets, or dotted decimal if the address carries an IPv4 one
 * (`::ffff:0:0/96`, and NAT64 `64:ff9b::/96`); `null` if it is not an address. A zone (`%eth0`) is never accepted.
 */
export function canonicalIpv6(text: string): string | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = ipv6Groups(halves[0]!);
  const tail = halves.length === 2 ? ipv6Groups(halves[1]!) : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  // An IPv4 tail ends the address, so it cannot precede the gap.
  if (halves.length === 2 && halves[0]!.indexOf('.') >= 0) return null;
  return formatIpv6([...head, ...new Array<number>(missing).fill(0), ...tail]);
}

function ipv6Groups(text: string): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else {
      // Browsers accept every spelling of an IPv4 tail.
      const tail = i === parts.length - 1 && part.indexOf('.') >= 0 ? canonicalIpv4(part) : null;
      if (tail === null) return null;
      const [a, b, c, d] = tail.split('.').map(Number) as [number, number, number, number];
      groups.push(a * 256 + b, c * 256 + d);
    }
  }
  return groups;
}

function formatIpv6(groups: readonly number[]): string {
  if (carriesIpv4(groups)) return dottedDecimal(groups[6]! * 0x10000 + groups[7]!);
  const gap = longestZeroRun(groups);
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return gap === null ? `[${hex(0, 8)}]` : `[${hex(0, gap.start)}::${hex(gap.end, 8)}]`;
}

function carriesIpv4(groups: readonly number[]): boolean {
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const mapped = zeros(0, 5) && groups[5] === 0xffff;
  const nat64 = groups[0] === 0x64 && groups[1] === 0xff9b && zeros(2, 6);
  return mapped || nat64;
}

/** The first longest run of two zero groups or more (RFC 5952 §4.2). */
function longestZeroRun(groups: readonly number[]): { start: number; end: number } | null {
  let best: { start: number; end: number } | null = null;
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - start >= 2 && (best === null || end - start > best.end - best.start)) best = { start, end };
    if (end > start) start = end - 1;
  }
  return best;
}
