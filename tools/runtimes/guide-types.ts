import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));

/** Must fail, or the check proves nothing. */
const wrong = {
  file: 'wrong-store.js',
  code: "import { createMMKV } from 'react-native-mmkv';\nexport const rows = createMMKV({ id: 'a' }).allRows();\n",
};

/** Compiles the stores of the guide against the types of the real packages. Throws with what does not fit. */
export function checkGuideTypes(folder: string, files: readonly string[]): void {
  writeFileSync(join(folder, wrong.file), wrong.code);
  const program = ts.createProgram(
    [...files, wrong.file].map((file) => join(folder, file)),
    {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      strict: true,
      // The guide is JavaScript.
      noImplicitAny: false,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2022,
      // React Native itself is not installed, and their types name it.
      skipLibCheck: true,
      types: [],
      paths: Object.fromEntries(
        ['react-native-mmkv', '@react-native-async-storage/async-storage'].map((name) => [name, [join(modules, name)]]),
      ),
    },
  );
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    isExpected: file?.fileName.endsWith(wrong.file) ?? false,
    text: `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  }));
  const real = faults.filter(({ isExpected }) => !isExpected);
  if (real.length > 0)
    throw new Error(`the stores of the guide do not fit the packages:\n${real.map(({ text }) => text).join('\n')}`);
  if (faults.length !== 1) throw new Error('a wrong call of MMKV compiles, so the check proves nothing');
}
