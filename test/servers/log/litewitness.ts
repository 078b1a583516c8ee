/**
 * Requests and answers from filippo.io/torchwood, cmd/litewitness/testdata/litewitness.txt (commit 000b870ee4c9b8d6377bd09a6ff31f283b225f20 of a
 * copy), in their order.
 */
export const litewitnessLogKey = 'ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f';

export const litewitnessOrigin = 'sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562';

const zeros = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
const [one, two, three, four] = ['KgEA', 'KgIA', 'KgMA', 'KgQA'].map((start) => start + zeros.slice(0)) as [
  string,
  string,
  string,
  string,
];
const root3 = 'RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=';
const root5 = 'QrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=';
const signed3 = 'UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=';
const signed5 = 'UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=';

interface Submitted {
  readonly old: number;
  readonly proof?: readonly string[];
  readonly origin?: string;
  readonly size: number | string;
  readonly root: string;
  readonly signature?: string;
}

function bodyOf({ old, proof = [], origin = litewitnessOrigin, size, root, signature }: Submitted): string {
  const end = signature === undefined ? [] : ['', `\u2014 ${origin} ${signature}`];
  return [`old ${old}`, ...proof, '', origin, size, root, ...end, ''].join('\n');
}

const to5 = { size: 5, root: root5, signature: signed5 };
const to3 = { size: 3, root: root3, signature: signed3 };

/** Each with its status; a 409 with the size that its body has. */
export const litewitnessRequests: readonly (readonly [what: string, body: string, status: number, size?: number])[] = [
  [
    'the first checkpoint',
    bodyOf({
      old: 0,
      size: 1,
      root: `KgAA${zeros}`,
      signature: 'UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=',
    }),
    200,
  ],
  [
    'a signature with stray low bits',
    bodyOf({ old: 1, proof: [one, two], ...to3, signature: signed3.replace('6go=', '6gx=') }),
    403,
  ],
  ['an unknown log', bodyOf({ old: 1, proof: [one, two], ...to3, origin: litewitnessOrigin.replace(/2$/, '3') }), 404],
  ['no proof', bodyOf({ old: 1, ...to3 }), 422],
  ['a wrong proof', bodyOf({ old: 1, proof: [one, two.replace(/AAA=$/, 'ABA=')], ...to3 }), 422],
  ['three entries', bodyOf({ old: 1, proof: [one, two], ...to3 }), 200],
  [
    'a size that it no longer has',
    bodyOf({ old: 1, proof: [one, '+fUDV+k970B4I3uKrqJM4aP1lloPZP8mvr2Z4wRw2LI=', four], ...to5 }),
    409,
    3,
  ],
  ['five entries', bodyOf({ old: 3, proof: [two, three, 'wgiIFdZfYNv6WU1OllBKsWnLYIS/DBMqt8Uh/S4OukE=', four], ...to5 }), 200],
  ['a start that was long ago', bodyOf({ old: 0, ...to5 }), 409, 5],
  ['no signature', bodyOf({ old: 5, size: 5, root: root5 }), 400],
  [
    'a signed note that is no checkpoint',
    bodyOf({
      old: 5,
      size: 'five',
      root: `KgAA${zeros}`,
      signature: 'UgIom4JTC2MerrFcJ5xDcWHzRPVB6zzGBIw4OFqcKDflqjH4q4xY5vMxUxyczvdIlEwFYf7ivQU4KoWan2bLmzLx0go=',
    }),
    400,
  ],
];
