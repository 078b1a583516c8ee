import { writeConfirm } from '../../../blocklist/formats/confirm-answer.js';
import { Problem } from '../http/problem.js';
import { algorithm, currentList, hashesBehind, publishSnapshot, versionOf } from '../records/service-lists.js';
import type { Handlers } from './handler-context.js';

/** Prefixes of one confirmation. provisional: no bound is published. */
const prefixesMax = 1_000;

export const blocklistHandlers: Handlers<'assetBlocklistVersion' | 'assetBlocklistConfirm'> = {
  assetBlocklistVersion(call) {
    const version = versionOf(call, currentList(call) ?? publishSnapshot(call), call.base, call.settings.encoding);
    return { ...version, snapshot: { ...version.snapshot }, recent: { ...version.recent } };
  },

  // provisional: the names of the list and of the answer, and that another algoVersion is refused.
  assetBlocklistConfirm(call, { algoVersion, prefixes }) {
    if (String(algoVersion) !== algorithm) throw new Problem(400, `The list is made with ${algorithm}.`);
    if (prefixes === undefined || prefixes.length === 0) throw new Problem(400, 'prefixes is missing.');
    if (prefixes.length > prefixesMax) throw new Problem(400, `At most ${prefixesMax} prefixes are confirmed at once.`);
    const wrong = prefixes.find((prefix) => !/^[0-9a-f]{8}$/i.test(prefix));
    if (wrong !== undefined) throw new Problem(400, 'A prefix is not 8 hex digits.');
    return writeConfirm(
      hashesBehind(
        call,
        prefixes.map((prefix) => Number.parseInt(prefix, 16)),
      ),
    );
  },
};
