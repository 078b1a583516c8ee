/**
 * Punycode of one label (RFC 3492), encoding only: a list holds the encoded form, and nothing here displays a host. The constants are
 * those of §5.
 */
export function toPunycode(label: readonly number[]): string {
  let output = label
    .filter((point) => point < 0x80)
    .map((point) => String.fromCharCode(point))
    .join('');
  const basicCount = output.length;
  let handled = basicCount;
  if (basicCount > 0) output += '-';
  let next = 0x80;
  let delta = 0;
  let bias = 72;
  while (handled < label.length) {
    const point = smallestFrom(label, next);
    delta += (point - next) * (handled + 1);
    next = point;
    for (const other of label) {
      if (other < next) delta++;
      if (other === next) {
        output += variableLength(delta, bias);
        bias = adapt(delta, handled + 1, handled === basicCount);
        delta = 0;
        handled++;
      }
    }
    delta++;
    next++;
  }
  return output;
}

function smallestFrom(label: readonly number[], least: number): number {
  let smallest = 0x110000;
  for (const point of label) if (point >= least && point < smallest) smallest = point;
  return smallest;
}

function variableLength(delta: number, bias: number): string {
  let output = '';
  let rest = delta;
  for (let base = 36; ; base += 36) {
    const threshold = base <= bias ? 1 : base >= bias + 26 ? 26 : base - bias;
    if (rest < threshold) return output + digit(rest);
    output += digit(threshold + ((rest - threshold) % (36 - threshold)));
    rest = Math.floor((rest - threshold) / (36 - threshold));
  }
}

function digit(value: number): string {
  return 'abcdefghijklmnopqrstuvwxyz0123456789'[value]!;
}

function adapt(delta: number, count: number, first: boolean): number {
  let rest = first ? Math.floor(delta / 700) : delta >> 1;
  rest += Math.floor(rest / count);
  let bias = 0;
  while (rest > 455) {
    rest = Math.floor(rest / 35);
    bias += 36;
  }
  return bias + Math.floor((36 * rest) / (rest + 38));
}
