/** Reads IPv4 and IPv6 in every spelling that browsers accept (WHATWG URL §3.5) and writes one canonical spelling. */

/** Whether the last label is a number, so that the host is an IPv4 address or invalid. */
export function endsInNumber(host: string): boolean {
  const start = host.lastIndexOf('.') + 1;
  const first = host.charCodeAt(start);
  return first >= 0x30 && first <= 0x39 && numberLabel.test(host.slice(start));
}

const numberLabel = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/** Dotted decimal from one to four parts in decimal, octal or hex; `null` if a part is not a number or too large. */
export function canonicalIpv4(host: string): string | null {
  const parts = host.split('.', 5).map(ipv4Part);
  const last = parts.pop()!;
  if (parts.length > 3 || !(last < 256 ** (4 - parts.length)) || !parts.every((part) => part < 256)) return null;
  return dottedDecimal(parts.reduce((address, part, at) => address + part * 256 ** (3 - at), last));
}

/** The value of a part, imprecise if it is too large; `NaN` if it is not a number. */
function ipv4Part(part: string): number {
  const match = ipv4Number.exec(part);
  if (match === null) return Number.NaN;
  const [, hex, octal] = match;
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return hex === '' ? 0 : Number(part);
}

const ipv4Number = /^(?:0x([0-9a-f]*)|0([0-7]+)|0|[1-9][0-9]*)$/;

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
  const text = groups.map((group) => group.toString(16)).join(':');
  if (carriesIpv4.test(text)) return dottedDecimal(groups[6]! * 0x10000 + groups[7]!);
  // The first longest run of two zero groups or more (RFC 5952 §4.2).
  let start = 0;
  let length = 0;
  for (const { 0: run, index } of text.matchAll(/\b0(?::0)+\b/g)) {
    if (run.length <= length) continue;
    start = index;
    length = run.length;
  }
  return length === 0 ? `[${text}]` : `[${text.slice(0, Math.max(0, start - 1))}::${text.slice(start + length + 1)}]`;
}

const carriesIpv4 = /^(?:0:0:0:0:0:ffff|64:ff9b:0:0:0:0):/;
