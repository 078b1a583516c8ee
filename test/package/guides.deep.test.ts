import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { snippetsOf } from '../../tools/snippets.js';
import { projectBeside, shellIn } from '../support/packed-beside.js';

test.each(['docs/wallet.md', 'docs/node-service.md'])(
  '%s ends with what it shows, from an empty folder and the packed package',
  (page) => {
    const { project, remove } = projectBeside();
    onTestFinished(remove);
    const [, install] = /^```sh\n(npm init .*)\n```$/m.exec(readFileSync(page, 'utf8')) ?? [];
    shellIn(project, install!);
    const [, file, run] = /^Save this as `([\w.-]+)` and run `(npx tsx [\w.-]+)`\./m.exec(readFileSync(page, 'utf8')) ?? [];
    const [tutorial] = snippetsOf(page);
    writeFileSync(join(project, file!), tutorial!.code);
    expect(shellIn(project, run!)).toBe(tutorial!.printed);
  },
);
