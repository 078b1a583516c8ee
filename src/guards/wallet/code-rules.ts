import { toHex } from '../../core/bytes.js';
import type { Reading } from './reading.js';

/**
 * The batch contracts of Safe 1.3.0, 1.4.1 and 1.5.0 (MultiSend and MultiSendCallOnly, with the deployments for EIP-155 and zkSync). Their
 * addresses are derived from their code, so no other code can have them: https://github.com/safe-global/safe-deployments
 */
const batches: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761 0x998739bfdaadde7c933b942a68053933098f9eda 0x0dfcccb95225ffb03c6fbb2559b530c2b7c8a912 0x40a2accbd92bca938b02010e17a5b8929b49130d 0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b 0xf220d3b4dfb23c4ade8c88e526c1353abacbc38f 0x38869bf66a61cf6bdb996a6ae40d5853fd43b526 0x9641d764fc13c8b624c04430c7356c1c7c8102e2 0x218543288004cd07832472d464648173c77d7eb7 0xa83c336b20401af773b6219ba5027174338d1836'.split(
    ' ',
  ),
);

const multiSend = '8d80ff0a';

/**
 * Notes an operation of a Safe that is not a plain call. In a delegatecall the target's code owns the account, so that the calldata says
 * nothing about what happens, unless the code is known.
 */
export function readOperation(operation: number, target: string, calldata: Uint8Array, reading: Reading): void {
  const isBatch = operation === 1 && batches.has(target) && toHex(calldata.subarray(0, 4)) === multiSend;
  if (operation !== 0 && !isBatch) reading.fail('it runs code as the account, and the code cannot be read');
}

const noAddress = `0x${'0'.repeat(40)}`;

/** Notes code that is put in charge of an account or a contract. Zero takes it away. */
export function readCode(address: string, reading: Reading): void {
  if (address !== noAddress) reading.fail('it installs code that cannot be read');
}

/** Roles of parameters whose code is put in charge. */
export const codeRoles: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'implementation module guard handler library singleton'.split(' '),
);
