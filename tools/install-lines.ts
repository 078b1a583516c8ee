import { readFileSync } from 'node:fs';
import { pages } from './snippets.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

/** Whether `npm install portcullis` finds the package: true from the day of publishing on. Then run `npm run docs:install`. */
const isPublished = false;

/** What the guides install. A clone beside the project packs the file. */
const installed = isPublished ? 'portcullis' : `../portcullis/portcullis-${version}.tgz`;

/** At the top of a guide, before the command that installs. */
const packing = isPublished
  ? ''
  : 'The package is not on a registry yet: clone it beside the folder of your project, and run `npm ci && npm pack` in the clone.';

const marks = ['<!-- install -->\n', '<!-- install end -->'] as const;
const command = /(?<=npm install (?:--\S+ )*)(?:portcullis|\S*portcullis-\d[\w.-]*\.tgz)(?= |$)/gm;

/** The pages that install the package, with what they must say. */
export function installLines(): { readonly file: string; readonly text: string; readonly made: string }[] {
  return pages
    .filter((file) => !file.startsWith('docs/releasing'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const [before, rest = ''] = text.split(marks[0]);
      const [, after] = rest.split(marks[1]);
      if (after === undefined) return [];
      const marked = `${before}${marks[0]}${packing}${packing && '\n'}${marks[1]}${after}`;
      return [{ file, text, made: marked.replace(command, installed) }];
    });
}
