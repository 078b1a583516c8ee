import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { escapedText, type PictureScheme, pictureSchemes } from './picture-schemes.js';

/** A shell runs these in an empty folder. */
const commands = [
  "echo 'scam-mint.example' > scams.txt",
  "portcullis check --list scams.txt 'https:/\\login%2Escam-mint.example' https://example.org/",
  "portcullis parse 'Claim your drop at hxxps://scam-mint[.]example/now'",
  'portcullis explain --list scams.txt https://login.scam-mint.example/',
];

interface TerminalLine {
  readonly text: string;
  readonly isInput: boolean;
}

/** What a reader of the picture sees: each command, and what it prints.  */
export function recordedLines(cli = resolve('dist/cli.js')): TerminalLine[] {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-picture-'));
  try {
    return commands.flatMap((command) => {
      // `check` exits with 6 when something is blocked.
      const script = `portcullis() { '${process.execPath}' '${cli}' "$@"; }; ${command}; true`;
      const output = execFileSync('bash', ['-c', script], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, COLUMNS: '100' },
      });
      return [{ text: command, isInput: true }, ...linesOf(output).map((text) => ({ text, isInput: false }))];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const linesOf = (output: string): string[] => output.split('\n').filter((line) => line !== '');

const columns = 92;
const [cellWidth, lineHeight, padding] = [7.8, 20, 20];

/** One picture for one color scheme: the page that shows it chooses between them. */
export function terminalSvg(lines: readonly TerminalLine[], scheme: PictureScheme): string {
  const colors = pictureSchemes[scheme];
  const shown = lines.flatMap(({ text, isInput }) => wrapped(isInput ? `$ ${text}` : text).map((part) => ({ part, isInput })));
  const height = shown.length * lineHeight + 2 * padding;
  const width = Math.ceil(columns * cellWidth + 2 * padding);
  const rows = shown.map(({ part, isInput }, at) => {
    const word = /^(blocked|clear)\b/.exec(part)?.[1] as 'blocked' | 'clear' | undefined;
    const first =
      isInput && part.startsWith('$ ') ? span(colors.accent, '$') : word === undefined ? '' : span(colors[word], word);
    const rest = escapedText(part.slice(isInput && part.startsWith('$ ') ? 1 : (word?.length ?? 0)));
    const weight = isInput ? ' font-weight="600"' : '';
    return `<text x="${padding}" y="${padding + (at + 0.75) * lineHeight}"${weight} xml:space="preserve">${first}${rest}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A shell: Portcullis blocks a listed link, finds one in a message, and explains a verdict</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colors.background}" stroke="${colors.frame}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="${colors.text}">
${rows.join('\n')}
</g>
</svg>
`;
}

const span = (color: string, text: string): string => `<tspan fill="${color}">${text}</tspan>`;

/** Long commands continue on the next line, as a shell shows them. */
function wrapped(text: string): string[] {
  const parts = [];
  for (let start = 0; start < text.length; start += columns) parts.push(text.slice(start, start + columns));
  return parts;
}
