import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly homepage: string;
  readonly licenseText: string;
  /** The files of `dist` that contain code of it. */
  readonly files: readonly string[];
}

/** What else a package brings along under another license. */
const contents: Readonly<Record<string, string>> = {
  tldts:
    'It contains the Public Suffix List (https://publicsuffix.org/list/), which is available under the Mozilla Public License 2.0.',
};

/** The packages of other authors whose code is in bundles, by the file for which `bundles` has a report of the bundler. */
export async function bundledPackages(bundles: Readonly<Record<string, Metafile>>): Promise<BundledPackage[]> {
  const filesOf = new Map<string, Set<string>>();
  for (const [file, { outputs }] of Object.entries(bundles))
    for (const output of Object.values(outputs))
      for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
        const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
        if (name !== undefined && bytesInOutput > 0) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
      }
  const names = [...filesOf.keys()].sort();
  return Promise.all(names.map(async (name) => ({ ...(await describe(name)), files: [...(filesOf.get(name) ?? [])].sort() })));
}

async function describe(name: string): Promise<Omit<BundledPackage, 'files'>> {
  const folder = join(root, 'node_modules', name);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return {
    name,
    version: manifest.version,
    license: manifest.license,
    homepage: manifest.homepage ?? manifest.repository.url,
    // Fails without one: code may not be passed on without its notice.
    licenseText: await readFile(join(folder, await licenseIn(folder)), 'utf8'),
  };
}

async function licenseIn(folder: string): Promise<string> {
  return (await readdir(folder)).find((file) => /^licen[sc]e(\.md|\.txt)?$/i.test(file)) ?? 'LICENSE';
}

/** Writes what a license asks for and what scanners read; both name only what no lock file of a user shows. */
export async function writeNotices(folder: string, bundles: Readonly<Record<string, Metafile>>): Promise<void> {
  const packages = await bundledPackages(bundles);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'third-party.txt'), noticesOf(packages));
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(packages, version), undefined, 2)}\n`);
}

export function noticesOf(packages: readonly BundledPackage[]): string {
  const notices = packages.map(({ name, version, homepage, files, licenseText }) =>
    [`${name} ${version} (${homepage}) is in ${files.join(', ')}.`, contents[name], licenseText.trim()]
      .filter(Boolean)
      .join('\n\n'),
  );
  return `Some files of this package contain code of other packages, with these licenses.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** CycloneDX 1.6, without a time or a random number: the same sources give the same file. */
export function sbomOf(packages: readonly BundledPackage[], version: string): object {
  const urlOf = (name: string, of: string): string => `pkg:npm/${name.replace('@', '%40')}@${of}`;
  const self = urlOf('portcullis', version);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'library', 'bom-ref': self, name: 'portcullis', version, purl: self } },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': urlOf(each.name, each.version),
      name: each.name,
      version: each.version,
      purl: urlOf(each.name, each.version),
      licenses: [{ license: { id: each.license } }],
      properties: each.files.map((value) => ({ name: 'portcullis:file', value })),
    })),
    // Dependencies that the user installs are missing: they are in the user's lock file, in the versions that are really used.
    compositions: [{ aggregate: 'incomplete', assemblies: [self] }],
  };
}
