import { transparencyLog } from 'portcullis/log';
import { logSigner, type NoteSigner, witnessSigner } from '../support/note-keys.js';
import { payloadOf, TestLog } from '../support/test-log.js';
import type { Folder, History } from './attack-versions.js';

/** A history whose versions are in a log, with four witnesses of whom one signs everything. */
export interface LoggedHistory extends History {
  /** What a client demands. A new one for each client, because it remembers. */
  demanded(): ReturnType<typeof transparencyLog>;
  /** A version with its proof, after these. */
  logged(folder: Folder, before: readonly Folder[]): Promise<Folder>;
}

export async function withLog(history: History): Promise<LoggedHistory> {
  const log = new TestLog(logSigner('lists.example/history', 1));
  let seconds = 0;
  const witnesses = [1, 2, 3, 4].map((at) => witnessSigner(`witness.example/${at}`, 10 + at, () => seconds));
  const [liar] = witnesses as [NoteSigner];

  async function added(folder: Folder, before: readonly Folder[], cosigners: readonly NoteSigner[]): Promise<Folder> {
    seconds = Math.floor(folder.sequence / 1_000);
    const entries = [...before, folder].map(({ files }) => payloadOf(files));
    return { ...folder, files: await log.published(folder.files, entries, cosigners) };
  }

  const versions: Folder[] = [];
  for (const version of history.versions) versions.push(await added(version, versions, witnesses));
  // Its log agrees with the published one for the first five versions, so that no memory of fewer finds a fault in it.
  const secret = await added(history.secret, versions.slice(0, 5), [liar]);
  return {
    ...history,
    versions,
    forged: [...history.forged, secret],
    pool: new Map([...history.pool, ...versions.flatMap(({ files }) => [...files])]),
    demanded: () => transparencyLog({ key: log.log.vkey, witnesses: witnesses.map(({ vkey }) => vkey) }),
    logged: (folder, before) => added(folder, before, witnesses),
  };
}
