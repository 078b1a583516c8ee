/** Constants of RFC 3492 §5. */
const base = 36;
const minThreshold = 1;
const maxThreshold = 26;
const skew = 38;
const damp = 700;
const initialBias = 72;
const initialPoint = 0x80;

/** The longest label of DNS. Each digit adds at most one insertion, so this also bounds the work. */
const maxLabelLength = 63;

const maxPoint = 0x10ffff;

/** The Unicode form of a label of a host; the label itself if it is not Punycode, or malformed. */
export function unicodeLabel(label: string): string {
  if (!label.startsWith('xn--') || label.length > maxLabelLength) return label;
  const encoded = label.slice('xn--'.length);
  const end = encoded.lastIndexOf('-');
  const points = [...encoded.slice(0, Math.max(0, end))].map((character) => character.codePointAt(0)!);
  const plainCount = points.length;
  let point = initialPoint;
  let place = 0;
  let bias = initialBias;
  for (let at = end + 1; at < encoded.length; ) {
    const before = place;
    for (let weight = 1, threshold = base; ; threshold += base) {
      const digit = digitOf(encoded.charCodeAt(at++));
      if (digit < 0) return label;
      place += digit * weight;
      const limit = Math.min(Math.max(threshold - bias, minThreshold), maxThreshold);
      if (digit < limit) break;
      weight *= base - limit;
    }
    const count = points.length + 1;
    bias = adapted(place - before, count, points.length === plainCount);
    point += Math.floor(place / count);
    if (point > maxPoint || (point >= 0xd800 && point <= 0xdfff)) return label;
    place %= count;
    points.splice(place++, 0, point);
  }
  return points.length === plainCount ? label : String.fromCodePoint(...points);
}

/** The value of a digit: `a` to `z`, then `0` to `9`; -1 for anything else, and beyond the end. */
function digitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : -1;
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let left = isFirst ? Math.floor(delta / damp) : Math.floor(delta / 2);
  left += Math.floor(left / count);
  let bias = 0;
  for (; left > ((base - minThreshold) * maxThreshold) / 2; bias += base) left = Math.floor(left / (base - minThreshold));
  return bias + Math.floor(((base - minThreshold + 1) * left) / (left + skew));
}
