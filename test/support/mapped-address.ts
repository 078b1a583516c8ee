/** An IPv6 address in brackets as a URL parser writes it, or the IPv4 address that it carries. */
export function withoutMapping(hostname: string): string {
  const [before, behind] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const zeros = new Array<string>(8 - before!.length - (behind?.length ?? 0)).fill('0');
  const groups = [...before!, ...zeros, ...(behind ?? [])].map((group) => Number.parseInt(group, 16));
  if (!['0,0,0,0,0,65535', '100,65435,0,0,0,0'].includes(groups.slice(0, 6).join())) return hostname;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
