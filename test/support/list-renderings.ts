import type { ListFormat } from '../../src/blocklist/lists/list-entry.js';

/** A list of hosts written in a format, as a careless publisher would, with lines that list nothing. */
export interface Rendering {
  readonly format: ListFormat;
  readonly text: string;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Distinct hosts, none a subdomain of another. */
export function hostsOf(random: () => number, count: number): string[] {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const label = (): string =>
    Array.from({ length: 3 + Math.floor(random() * 12) }, () => letters[Math.floor(random() * letters.length)]).join('');
  const ends = ['example', 'test', 'com.example', 'xn--p1ai'];
  return Array.from(
    { length: count },
    (_, at) => `${label()}-${at}${random() < 0.3 ? `x.${label()}` : 'x'}.${ends[at % ends.length]}`,
  );
}

/** All renderings of the hosts. */
export function renderingsOf(hosts: readonly string[], random: () => number): Rendering[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const spaces = (): string => pick(['', '', ' ', '  ', '\t']);
  const gap = (): string => pick([' ', '  ', '\t', ' \t ']);
  const cased = (text: string): string => (random() < 0.2 ? text.toUpperCase() : text);
  const end = pick(['\n', '\r\n']);
  const mark = pick(['', '\ufeff']);
  const whole = (lines: readonly string[]): string => mark + lines.join(end) + pick(['', end, end + end]);
  /** Each host as a line, or several; with comments, empty lines and lines that mean nothing between them. */
  const lined = (
    line: (host: string) => string | readonly string[],
    comments: readonly string[],
    noise: readonly string[],
  ): string[] =>
    hosts.flatMap((host) => {
      const lines = line(host);
      const before = random() < 0.1 ? [pick(comments)] : random() < 0.1 ? [spaces()] : [];
      return [...before, ...(typeof lines === 'string' ? [lines] : lines), ...(random() < 0.05 ? [pick(noise)] : [])];
    });
  const head = (lines: readonly string[]): readonly string[] => (random() < 0.7 ? lines : []);
  const hash = ['# why', '#', '## Section', '#####', '  # spaced'];
  /** Browsers open them as IPv4 addresses, but in a list they are versions, dates and counts. */
  const numbers = ['8.8', '1.2.3', '3232235777', '0x7f.1', '010.1.2.3', '7', '1.2.3/4'];
  const noise = ['???', '<<<>>>', '-', 'two words', ...numbers];
  const quote = (text: string): string => pick([text, `"${text}"`, `'${text}'`]);
  const assets = (): unknown[] => [
    ...hosts.map((host) => (random() < 0.5 ? host : { url: cased(host), note: 'x', seen: { at: 1 } })),
    ...(random() < 0.3 ? [pick(numbers), { url: pick(numbers) }] : []),
  ];
  const shape = pick(['array', 'assets', 'domains'] as const);
  const json = JSON.stringify(
    shape === 'array' ? assets() : { version: 1, more: { domains: ['no.example'] }, [shape]: assets(), address: [] },
    null,
    pick([0, 2, '\t']),
  );
  const yamlIndent = pick(['', '', '  ']);
  const isBelow = yamlIndent !== '' && random() < 0.7;
  const yaml = lined(
    (host) => {
      const first = `${yamlIndent}-${pick([' ', '  '])}`;
      const inner = ' '.repeat(first.length);
      const ending = pick(['', '   ', '  # why']);
      return pick([
        [`${first}url: ${quote(cased(host))}${ending}`],
        [`${first}url:  ${quote(host)}`, `${inner}note: it's "x"`, `${inner}status: blocked${ending}`],
        [
          `${first}name: A name`,
          `${inner}url: ${quote(host)}${ending}`,
          `${inner}addresses:`,
          `${inner}  ETH:`,
          `${inner}    - "0x1"`,
        ],
        [
          `${first}url: ${quote(`https://${host}/`)}`,
          `${inner}text: >-`,
          `${inner}  url: no.example`,
          '',
          `${inner}  - url: no.example`,
        ],
        [`${first}${quote(host)}${ending}`],
      ]);
    },
    hash,
    [
      ...numbers.map((number) => `${yamlIndent}- ${pick(['', 'url: '])}${quote(number)}`),
      `${yamlIndent}- [a, b]`,
      `${yamlIndent}- url: *alias`,
      `${yamlIndent}- url: {a: b}`,
    ],
  );
  const separator = pick([',', ';', '\t']);
  const row = (...cells: readonly string[]): string => cells.map((cell) => (random() < 0.2 ? `"${cell}"` : cell)).join(separator);
  const csvNames = ['id', pick(['url', 'Domain', 'HOST', 'indicator']), 'note'];
  const csvHead = random() < 0.7 ? row(...csvNames) : `# ${csvNames.join(separator)}`;
  const rpzName = pick(['', 'rpz.example.', 'rpz.']);
  const owner = (host: string): string => (rpzName !== '' && random() < 0.3 ? `${host}.${rpzName}` : host);
  const soa = (name: string): string[] => [
    `${name} IN SOA localhost. root.localhost. (`,
    '  2024010101 ; serial',
    '  1h 15m 30d',
    '  2h )',
    '  IN NS localhost.',
  ];
  const zoneHead =
    rpzName === ''
      ? pick([[], ['$TTL 2h', ...soa('@')]])
      : pick([
          [`$ORIGIN ${rpzName}`, '$TTL 60', ...soa('@')],
          ['$TTL 2h', ...soa(rpzName)],
        ]);
  return [
    {
      format: 'lines',
      text: whole(
        lined(
          (host) => spaces() + pick([cased(host), `https://${host}/`, `*.${host}`, `${host}.`]) + spaces() + pick(['', ' # why']),
          hash,
          noise,
        ),
      ),
    },
    {
      format: 'hosts',
      text: whole([
        ...head(['127.0.0.1 localhost', '::1 localhost ip6-localhost', '255.255.255.255 broadcasthost']),
        ...lined((host) => pick(['0.0.0.0', '127.0.0.1', '::', '::1']) + gap() + cased(host) + pick(['', ' # why', '\t']), hash, [
          ...noise,
          '93.184.216.34 good.example',
          ...numbers.map((number) => `0.0.0.0 ${number}`.split('/')[0]!),
        ]),
      ]),
    },
    {
      format: 'filter',
      text: whole([
        ...head(['[Adblock Plus 2.0]', '! Title: a list', '! Expires: 1 day']),
        ...lined(
          (host) =>
            spaces() +
            pick([
              `||${cased(host)}^`,
              `||${host}^$all`,
              `||${host}^$document,popup`,
              `||${host}^$doc`,
              `||${host}/*`,
              `||${host}^$important`,
              host,
              `0.0.0.0 ${host}`,
            ]) +
            spaces(),
          ['! why', ...hash],
          [
            ...noise,
            '##.ad',
            'good.example##.ad',
            'good.example#@#.ad',
            '||good.example^$third-party',
            '||good.example^$script',
            '@@||fine.example^',
            '/ads?/',
            '||cdn*.good.example^',
            '|https://good.example/|',
            '||1.2.3.',
            '||8.8^',
            '||good.example.',
            '||good.example:8080^',
            '!#if env_mobile',
            '!#endif',
          ].filter((line) => !line.startsWith('!#')),
        ),
      ]),
    },
    {
      format: 'dnsmasq',
      text: whole(
        lined(
          (host) =>
            pick([
              `address=/${cased(host)}/0.0.0.0`,
              `address=/${host}/`,
              `address=/${host}/#`,
              `address=/${host}/::`,
              `server=/${host}/`,
              `local=/${host}/`,
              `address = /.${host}/127.0.0.1`,
            ]) + pick(['', ' # why', '  ']),
          hash,
          [
            ...noise,
            'port=53',
            'server=1.1.1.1',
            'server=/good.example/9.9.9.9',
            'address=/good.example/192.0.2.1',
            'address=/8.8/3232235777/0.0.0.0',
            'server=/fine.example/#',
          ],
        ),
      ),
    },
    {
      format: 'unbound',
      text: whole([
        ...head(['server:', '  verbosity: 1', '    access-control: 10.0.0.0/8 allow']),
        ...lined(
          (host) => {
            const type = pick(['always_nxdomain', 'always_null', 'refuse', 'static', 'always_refuse', 'deny', 'redirect']);
            const name = pick([`"${host}"`, `"${cased(host)}."`, host, `'${host}'`]);
            const zone = `${spaces()}local-zone:${gap()}${name} ${type === 'redirect' ? type : pick([type, `"${type}"`])}${pick(['', ' # why'])}`;
            const data = `local-data: "${host}${pick([' A 0.0.0.0', '. 3600 IN A 127.0.0.1', ' IN AAAA ::'])}"`;
            return type === 'redirect' ? [zone, data] : zone;
          },
          hash,
          [
            'local-zone: "good.example" transparent',
            'local-data: "good.example A 192.0.2.1"',
            'local-zone: "fine.example" always_transparent',
            'local-zone: "broken',
            'local-zone: "8.8" always_nxdomain',
            'local-data: "0x7f.1 A 0.0.0.0"',
          ],
        ),
      ]),
    },
    {
      format: 'rpz',
      text: whole([
        ...zoneHead,
        ...lined(
          (host) => {
            const action = pick([
              ' CNAME .',
              ' IN CNAME .',
              '\t60\tIN\tCNAME\t*.',
              ' CNAME rpz-drop.',
              ' A 0.0.0.0',
              ' cname . ; why',
            ]);
            const name = cased(owner(host));
            return pick([[`${name}${action}`], [`${name}${action}`, `*.${name}${action}`]]);
          },
          ['; why', ';', '  ; spaced'],
          [
            'good.example CNAME walled.garden.example.',
            'fine.example CNAME rpz-passthru.',
            '32.1.2.0.192.rpz-ip CNAME .',
            '1.2.3 CNAME .',
            '3232235777 A 0.0.0.0',
            'good.example TXT "no"',
          ],
        ),
      ]),
    },
    {
      format: 'csv',
      text: whole([
        csvHead,
        ...lined(
          (host) => row(String(Math.floor(random() * 99)), cased(host), pick(['', 'a note'])),
          ['# why'],
          [row('1', 'no.example'), '"a"b', ...numbers.map((number) => row('1', number, ''))],
        ),
      ]),
    },
    { format: 'json', text: mark + json.split('\n').join(end) + pick(['', end]) },
    {
      format: 'eth-phishing-detect',
      text:
        mark +
        JSON.stringify(
          { version: 2, tolerance: 1, fuzzylist: ['fuzzy.example'], whitelist: ['fine.example'], blacklist: hosts },
          null,
          pick([0, 2]),
        ),
    },
    {
      format: 'yaml',
      text: whole([
        ...head(['---']),
        ...(isBelow ? ['version: 1', 'blocklist:'] : []),
        ...yaml,
        ...(random() < 0.2 && !isBelow ? ['...'] : []),
      ]),
    },
  ];
}
