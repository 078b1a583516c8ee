/** A parameter of a function. */
export interface AbiType {
  /** `uint256`, or `()` for a tuple. */
  readonly base: string;
  /** Its name in the table, which names the party; empty if nothing needs it. */
  readonly name: string;
  /** Members of a tuple. */
  readonly members: readonly AbiType[];
  /** Whether it is `T[]`. The table has no fixed lists. */
  readonly isList: boolean;
}

const known = new Map<string, readonly AbiType[]>();

/** Reads `(address to,(uint256,bytes call)[])` from the table, each row once. The table is part of the package, so that no row is malformed. */
export function abiTypes(text: string): readonly AbiType[] {
  const types = known.get(text) ?? parsed(text);
  known.set(text, types);
  return types;
}

function parsed(text: string): AbiType[] {
  let at = text.indexOf('(');
  const word = /[^,()]*/y;

  function tuple(): AbiType[] {
    const members: AbiType[] = [];
    at++;
    while (text[at] !== ')') {
      const inner = text[at] === '(' ? tuple() : [];
      word.lastIndex = at;
      const [type = '', name = ''] = word.exec(text)![0].split(' ');
      at = word.lastIndex;
      const isList = type.endsWith('[]');
      members.push({ base: (isList ? type.slice(0, -2) : type) || '()', name, members: inner, isList });
      if (text[at] === ',') at++;
    }
    at++;
    return members;
  }
  return tuple();
}

export function isDynamic({ base, members, isList }: AbiType): boolean {
  return isList || base === 'bytes' || base === 'string' || members.some(isDynamic);
}

/** Bytes that a value takes in the head of what contains it. */
export function headSize(type: AbiType): number {
  return type.base !== '()' || isDynamic(type) ? 32 : headSizeOf(type.members);
}

export function headSizeOf(types: readonly AbiType[]): number {
  return types.reduce((size, type) => size + headSize(type), 0);
}
