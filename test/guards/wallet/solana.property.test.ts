import { readdirSync, readFileSync } from 'node:fs';
import {
  type AccountMeta,
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  isSignerRole,
  isWritableRole,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import {
  getAuthorizeInstruction,
  getAuthorizeWithSeedInstruction,
  getInitializeInstruction,
  getSetLockupInstruction,
  StakeAuthorize,
} from '@solana-program/stake';
import {
  getAllocateWithSeedInstruction,
  getAssignInstruction,
  getAssignWithSeedInstruction,
  getAuthorizeNonceAccountInstruction,
  getCreateAccountAllowPrefundInstruction,
  getCreateAccountInstruction,
  getCreateAccountWithSeedInstruction,
  getInitializeNonceAccountInstruction,
} from '@solana-program/system';
import {
  AuthorityType,
  getBatchInstruction,
  getInitializeAccount2Instruction,
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getSetAuthorityInstruction,
} from '@solana-program/token';
import fc from 'fast-check';
import { createBlocklist, isPortcullisError } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { readSolanaTransaction, screenRecipients, type TransactionReading } from 'portcullis/wallet';
import { expect, test } from 'vitest';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const toAddress = (bytes: Uint8Array): Address => getAddressDecoder().decode(bytes);
const address = bytes32.map(toAddress);
const role = fc.constantFrom(
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
);

/** What is put into a transaction. Accounts and programs come from one small pool, so that instructions share them. */
const plan = fc
  .record({
    version: fc.constantFrom('legacy' as const, 0 as const, 1 as const),
    // Nine signers and three programs fit into a packet.
    pool: fc.uniqueArray(address, { minLength: 6, maxLength: 8 }),
    programs: fc.uniqueArray(address, { minLength: 1, maxLength: 3 }),
    payer: address,
    blockhash: bytes32,
    roles: fc.array(role, { minLength: 12, maxLength: 12 }),
    calls: fc.array(
      fc.record({
        program: fc.nat(2),
        accounts: fc.array(fc.nat(11), { maxLength: 5 }),
        data: fc.uint8Array({ maxLength: 30 }),
      }),
      { maxLength: 4 },
    ),
    tabled: fc.array(fc.nat(11), { maxLength: 4 }),
    table: address,
  })
  .filter(
    ({ pool, programs, payer, table }) =>
      new Set([...pool, ...programs, payer, table]).size === pool.length + programs.length + 2,
  );

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

interface Built {
  readonly bytes: Uint8Array;
  readonly tables: Record<string, Address[]>;
}

function build({ version, pool, programs, payer, blockhash, roles, calls, tabled, table }: Plan): Built {
  const instructions = calls.map(({ program, accounts, data }): Instruction => {
    const metas = accounts.map((at): AccountMeta => ({ address: pool[at % pool.length]!, role: roles[at % pool.length]! }));
    return { programAddress: programs[program % programs.length]!, accounts: metas, data };
  });
  const tables = { [table]: [...new Set(tabled.map((at) => pool[at % pool.length]!))] };
  return { bytes: encode(version, payer, blockhash, instructions, version === 0 ? tables : {}), tables };
}

function encode(
  version: 'legacy' | 0 | 1,
  payer: Address,
  blockhash: Uint8Array,
  instructions: readonly Instruction[],
  tables: Record<string, Address[]> = {},
): Uint8Array {
  const lifetime = { blockhash: getBase58Decoder().decode(blockhash) as Blockhash, lastValidBlockHeight: 1n };
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (each) => setTransactionMessageFeePayer(payer, each),
    (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
    (each) => appendTransactionMessageInstructions([...instructions], each),
    (each) => (version === 0 ? compressTransactionMessageUsingAddressLookupTables(each, tables) : each),
  );
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)));
}

/** What @solana/kit decodes: accounts in their order, and those in tables if their addresses are known. */
function decoded(bytes: Uint8Array, tables: Record<string, readonly string[]>): TransactionReading | null {
  const { messageBytes } = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { header, staticAccounts } = message;
  const indices =
    message.version === 1
      ? message.instructionHeaders.map((head) => head.programAccountIndex)
      : message.instructions.map((each) => each.programAddressIndex);
  const parties = staticAccounts.map((content, at) => {
    const isSigner = at < header.numSignerAccounts;
    const isReadonly = isSigner
      ? at >= header.numSignerAccounts - header.numReadonlySignerAccounts
      : at >= staticAccounts.length - header.numReadonlyNonSignerAccounts;
    const unsigned = indices.includes(at) ? 'program' : isReadonly ? 'readonly' : 'writable';
    return { role: at === 0 ? 'payer' : isSigner ? 'signer' : unsigned, content: content as string };
  });
  let missing = 0;
  for (const lookup of message.version === 0 ? (message.addressTableLookups ?? []) : []) {
    parties.push({ role: 'lookup table', content: lookup.lookupTableAddress });
    for (const [role, indexes] of [
      ['writable', lookup.writableIndexes],
      ['readonly', lookup.readonlyIndexes],
    ] as const)
      for (const index of indexes) {
        const content = tables[lookup.lookupTableAddress]?.[index];
        if (content === undefined) missing++;
        else parties.push({ role, content });
      }
  }
  const unreadable = missing === 0 ? [] : [`${missing} of its accounts are in address lookup tables that were not given`];
  return { parties, unreadable };
}

test('reads the accounts that @solana/kit puts into a transaction of each version', () => {
  const seen = new Set<unknown>();
  fc.assert(
    fc.property(plan, (each) => {
      const { bytes, tables } = build(each);
      const reading = readSolanaTransaction(bytes, { lookupTables: tables });
      expect(reading).toEqual(decoded(bytes, tables));
      expect(reading.unreadable).toEqual([]);
      // Independent of the compiled message: every account of every call is there.
      const named = new Set(reading.parties.map(({ content }) => content));
      for (const { program, accounts } of each.calls) {
        expect(named).toContain(each.programs[program % each.programs.length]);
        for (const at of accounts) expect(named).toContain(each.pool[at % each.pool.length]);
      }
      const without = readSolanaTransaction(bytes);
      expect(without).toEqual(decoded(bytes, {}));
      seen.add(each.version).add(without.unreadable.length);
    }),
  );
  expect(seen).toEqual(new Set(['legacy', 0, 1]).add(0).add(1));
});

test('roles agree with the roles that the accounts were given', () => {
  fc.assert(
    fc.property(plan, (each) => {
      const { bytes, tables } = build(each);
      const { parties } = readSolanaTransaction(bytes, { lookupTables: tables });
      for (const [at, content] of each.pool.entries()) {
        const used = each.calls.some(({ accounts }) => accounts.some((one) => one % each.pool.length === at));
        const found = parties.filter((party) => party.content === content).map((party) => party.role);
        const given = each.roles[at]!;
        const expected = isSignerRole(given) ? 'signer' : isWritableRole(given) ? 'writable' : 'readonly';
        expect(found).toEqual(used ? [expected] : []);
      }
    }),
  );
});

/** Reads, or returns the code of the refusal; any other error fails the test. */
function outcome(bytes: Uint8Array, options?: object): TransactionReading | string {
  try {
    return readSolanaTransaction(bytes, options);
  } catch (error) {
    if (isPortcullisError(error)) return error.code;
    throw error;
  }
}

test('a transaction that is cut anywhere, or goes on, is malformed', () => {
  fc.assert(
    fc.property(plan, (each) => {
      const { bytes } = build(each);
      for (let end = 0; end < bytes.length; end++) expect(outcome(bytes.subarray(0, end)), `${end}`).toBe('INVALID_INPUT');
      expect(outcome(Uint8Array.of(...bytes, 0))).toMatch(/INVALID_INPUT|LIMIT_EXCEEDED/);
    }),
    { numRuns: 15 },
  );
});

test('what is read of a changed transaction is what @solana/kit decodes, or it is malformed', () => {
  let [read, refused] = [0, 0];
  fc.assert(
    fc.property(plan, fc.integer({ min: 1, max: 255 }), (each, flip) => {
      const { bytes, tables } = build(each);
      for (let at = 0; at < bytes.length; at++) {
        const changed = Uint8Array.from(bytes);
        changed[at]! ^= flip;
        const reading = outcome(changed, { lookupTables: tables });
        if (typeof reading === 'string') refused++;
        else {
          read++;
          // Handovers are compared below.
          const parties = reading.parties.filter((party) => !/^(?:owner|authority|custodian)$/.test(party.role));
          expect({ ...reading, parties }).toEqual(decoded(changed, tables));
        }
      }
    }),
    { numRuns: 15 },
  );
  expect(Math.min(read, refused)).toBeGreaterThan(100);
});

test('arbitrary bytes are malformed or too many', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(outcome(bytes)).toBe('INVALID_INPUT');
    }),
  );
  expect(outcome(new Uint8Array(1_232))).toBe('INVALID_INPUT');
  expect(outcome(new Uint8Array(1_233))).toBe('LIMIT_EXCEEDED');
  expect(outcome(Uint8Array.from({ length: 4_097 }, (_, at) => (at === 0 ? 0x81 : 0)))).toBe('LIMIT_EXCEEDED');
});

const blockhash = new Uint8Array(32).fill(7);
const [me, mine, thief] = [1, 2, 3].map((fill) => toAddress(new Uint8Array(32).fill(fill))) as [Address, Address, Address];
const signer = createNoopSigner(me);
const setAuthority = (
  authorityType: AuthorityType,
  newAuthority: Address | null,
): ReturnType<typeof getSetAuthorityInstruction> =>
  getSetAuthorityInstruction({ owned: mine, owner: signer, authorityType, newAuthority });

test.each([
  ['the owner of a token account', setAuthority(AuthorityType.AccountOwner, thief)],
  ['who mints a token', setAuthority(AuthorityType.MintTokens, thief)],
  [
    'who withdraws a stake',
    getAuthorizeInstruction({ stake: mine, authority: signer, arg0: thief, arg1: StakeAuthorize.Withdrawer }),
  ],
  ['the program of an account', getAssignInstruction({ account: signer, programAddress: thief })],
  [
    'the program of a new account',
    getCreateAccountInstruction({
      payer: signer,
      newAccount: createNoopSigner(mine),
      lamports: 1n,
      space: 0n,
      programAddress: thief,
    }),
  ],
  [
    'the owner of an account with a seed',
    getAssignWithSeedInstruction({ account: mine, baseAccount: signer, base: me, seed: 'seed', programAddress: thief }),
  ],
  [
    'the owner of a new account with a seed',
    getCreateAccountWithSeedInstruction({
      ...{ payer: signer, newAccount: mine, baseAccount: signer, base: me },
      ...{ seed: 'another seed', amount: 1n, space: 0n, programAddress: thief },
    }),
  ],
  [
    'the owner of an account with a seed, with its size',
    getAllocateWithSeedInstruction({
      ...{ newAccount: mine, baseAccount: signer, base: me },
      ...{ seed: 'seed', space: 1n, programAddress: thief },
    }),
  ],
  [
    'the program of a new account that has lamports',
    getCreateAccountAllowPrefundInstruction({
      ...{ payer: signer, newAccount: createNoopSigner(mine) },
      ...{ lamports: 1n, space: 0n, programAddress: thief },
    }),
  ],
  [
    'who advances a nonce',
    getAuthorizeNonceAccountInstruction({ nonceAccount: mine, nonceAuthority: signer, newNonceAuthority: thief }),
  ],
  ['who advances a new nonce', getInitializeNonceAccountInstruction({ nonceAccount: mine, nonceAuthority: thief })],
  ...(['staker', 'withdrawer', 'custodian'] as const).map((role) => [
    `the ${role} of a new stake`,
    getInitializeInstruction({
      stake: mine,
      arg0: { staker: role === 'staker' ? thief : me, withdrawer: role === 'withdrawer' ? thief : me },
      arg1: { unixTimestamp: 0n, epoch: 0n, custodian: role === 'custodian' ? thief : me },
    }),
  ]),
  [
    'who withdraws a stake, by a seed',
    getAuthorizeWithSeedInstruction({
      ...{ stake: mine, base: signer, newAuthorizedPubkey: thief },
      ...{ stakeAuthorize: StakeAuthorize.Withdrawer, authoritySeed: 'seed', authorityOwner: me },
    }),
  ],
  [
    'the custodian of a stake',
    getSetLockupInstruction({ stake: mine, authority: signer, unixTimestamp: null, epoch: 1n, custodian: thief }),
  ],
  ['who mints a new token', getInitializeMint2Instruction({ mint: mine, decimals: 6, mintAuthority: thief })],
  [
    'who freezes a new token',
    getInitializeMint2Instruction({ mint: mine, decimals: 6, mintAuthority: me, freezeAuthority: thief }),
  ],
  [
    'the owner of a token account, in a batch',
    getBatchInstruction([setAuthority(AuthorityType.CloseAccount, me), setAuthority(AuthorityType.AccountOwner, thief)]),
  ],
  ['the owner of a new token account', getInitializeAccount3Instruction({ account: mine, mint: me, owner: thief })],
  ['the owner of a new token account, as before', getInitializeAccount2Instruction({ account: mine, mint: me, owner: thief })],
] as [string, Instruction][])('names the address in the data of an instruction that sets %s', (_, instruction) => {
  const named = { role: expect.stringMatching(/^(?:owner|authority|custodian)$/), content: thief };
  for (const version of ['legacy', 0, 1] as const) {
    const { parties } = readSolanaTransaction(encode(version, me, blockhash, [instruction]));
    expect(parties.filter(({ content }) => content === thief)).toEqual([named]);
    // Programs ignore what follows.
    for (const more of [1, 32]) {
      const { parties: others } = readSolanaTransaction(encode(version, me, blockhash, [longer(instruction, more)]));
      expect(others).toEqual(parties);
    }
  }
});

const longer = (instruction: Instruction, more: number): Instruction => ({
  ...instruction,
  data: new Uint8Array([...instruction.data!, ...new Uint8Array(more).fill(5)]),
});

/** Instructions of the programs that have an address in their data. */
const addressed = {
  system:
    'allocateWithSeed assign assignWithSeed authorizeNonceAccount createAccount createAccountAllowPrefund createAccountWithSeed initializeNonceAccount transferSolWithSeed',
  stake: 'authorize authorizeCheckedWithSeed authorizeWithSeed initialize setLockup',
  token: 'initializeAccount2 initializeAccount3 initializeMint initializeMint2 setAuthority',
};

test.each(Object.entries(addressed))('no other instruction of the program %s has an address in its data', (program, names) => {
  const folder = new URL(`../../../node_modules/@solana-program/${program}/dist/types/generated/`, import.meta.url);
  const typesWith = (kind: string, what: RegExp): string[] =>
    readdirSync(new URL(`${kind}/`, folder)).flatMap((file) => {
      const source = readFileSync(new URL(`${kind}/${file}`, folder), 'utf8');
      return [...source.matchAll(/export type (\w+)Args = \{([^}]*)\};/g)].flatMap(([, name, body]) =>
        what.test(body!) ? [name!] : [],
      );
    });
  const structures = typesWith('types', /\bAddress\b/).map((name) => `${name}Args`);
  const what = new RegExp(`\\b(?:${['Address', ...structures].join('|')})\\b`);
  const found = typesWith('instructions', what).map((name) => name.replace(/InstructionData$/, ''));
  expect(found.map((name) => name.charAt(0).toLowerCase() + name.slice(1)).sort()).toEqual(names.split(' '));
});

test('any byte but zero may say that there is a new authority', () => {
  const given = setAuthority(AuthorityType.AccountOwner, thief);
  for (const there of [1, 2, 255]) {
    const data = Uint8Array.from(given.data!, (byte, at) => (at === 2 ? there : byte));
    const { parties } = readSolanaTransaction(encode(0, me, blockhash, [{ ...given, data }]));
    expect(parties.map(({ content }) => content)).toContain(thief);
  }
});

test('an authority that is given up names nobody', () => {
  const given = setAuthority(AuthorityType.MintTokens, null);
  const kept = getSetLockupInstruction({ stake: mine, authority: signer, unixTimestamp: 1n, epoch: null, custodian: null });
  for (const instruction of [given, longer(given, 32), kept, longer(kept, 32)]) {
    const { parties } = readSolanaTransaction(encode(0, me, blockhash, [instruction]));
    expect(parties.map(({ role }) => role)).toEqual(['payer', 'writable', 'program']);
  }
});

test('a transaction is screened, and never clear while a part of it is unread', async () => {
  const listed = toAddress(new Uint8Array(32).fill(9));
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${listed}\n` })], pollMs: 0 });
  await blocklist.ready();
  const pay = (to: Address): Instruction => ({
    programAddress: toAddress(new Uint8Array(32).fill(4)),
    accounts: [{ address: to, role: AccountRole.WRITABLE }],
    data: new Uint8Array(12),
  });
  const statusOf = async (bytes: Uint8Array, options?: object): Promise<string> =>
    (await screenRecipients(blocklist, readSolanaTransaction(bytes, options))).status;
  expect(await statusOf(encode('legacy', me, blockhash, [pay(mine)]))).toBe('clear');
  expect(await statusOf(encode('legacy', me, blockhash, [pay(listed)]))).toBe('listed');
  for (const [to, status] of [
    [mine, 'clear'],
    [listed, 'listed'],
  ] as const) {
    const tables = { [thief]: [to] };
    const bytes = encode(0, me, blockhash, [pay(to)], tables);
    expect(await statusOf(bytes)).toBe('undecided');
    expect(await statusOf(bytes, { lookupTables: tables })).toBe(status);
  }
});

test.each([
  [{ parties: [] }],
  [{ parties: [], unreadable: 'nothing' }],
  [{ parties: [{ role: 'recipient' }], unreadable: [] }],
  [{ parties: [null], unreadable: [] }],
  [{ parties: 5, unreadable: [] }],
  [null],
  ['0x52908400098527886e0f7030069857d2e4169ee7'],
])('refuses the reading %j', async (reading) => {
  const blocklist = { check: async () => ({}) as never };
  await expect(screenRecipients(blocklist, reading as never)).rejects.toThrow(TypeError);
});
