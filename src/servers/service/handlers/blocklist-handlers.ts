import { writeConfirm } from '../../../blocklist/formats/confirm-answer.js';
import { Problem } from '../http/problem.js';
import { algorithm, currentList, hashesBehind, publishSnapshot, versionOf } from '../records/service-lists.js';
import type { Handlers } from './handler-context.js';

/** Prefixes in one confirmation. provisional: no limit is published. */
const maxPrefixes = 1_000;

export const blocklistHandlers = {
  assetBlocklistVersion(call) {
    const version = versionOf(call, currentList(call) ?? publishSnapshot(call), call.base, call.settings.encoding);
    return { ...version, snapshot: { ...version.snapshot }, recent: { ...version.recent } };
  },

  // provisional: the name of the list, the response, and that another algoVersion is rejected.
  assetBlocklistConfirm(call, { algoVersion, prefixes }) {
    if (String(algoVersion) !== algorithm) throw new Problem(400, `Unknown algoVersion; this list uses ${algorithm}.`);
    if (prefixes === undefined || prefixes.length === 0) throw new Problem(400, 'prefixes is missing.');
    if (prefixes.length > maxPrefixes) throw new Problem(400, `At most ${maxPrefixes} prefixes can be confirmed at once.`);
    const wrong = prefixes.find((prefix) => !/^[0-9a-f]{8}$/i.test(prefix));
    if (wrong !== undefined) throw new Problem(400, 'A prefix must have 8 hex digits.');
    return writeConfirm(
      hashesBehind(
        call,
        prefixes.map((prefix) => Number.parseInt(prefix, 16)),
      ),
    );
  },
} satisfies Partial<Handlers>;
