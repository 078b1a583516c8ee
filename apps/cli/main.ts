import { nearestName } from '../../src/core/options/nearest-name.js';
import { version } from '../../src/core/version.js';
import { asksForHelp, firstPositionalAt, misplacedOption, type ParsedOptions, parse } from './arguments/arguments.js';
import { aligned, helpOf, lineToCopy, wrap } from './arguments/help.js';
import { commonOptions } from './arguments/option-rows.js';
import { quoted } from './arguments/quoted.js';
import { unknownName } from './arguments/unknown-name.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { type ExitCode, exitCodes } from './errors/exit-codes.js';
import { failureLines, failureOf } from './errors/failure.js';
import { UsageError } from './errors/usage.js';
import { originWords } from './lists/list-options.js';
import { createOutput, type Format } from './terminal/output.js';
import { printJson, printLines, printText } from './terminal/print.js';
import { columnsOf, inputOf, type Terminal } from './terminal/terminal.js';

/** Runs one command, reports its failure if it fails, and resolves to the exit code. */
export async function main(args: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const { stdout, stderr } = terminal;
  const columns = columnsOf(stdout);
  const [name, ...rest] = args;
  let origin = '';
  const setOrigin = (words: string): void => {
    origin = words;
  };
  try {
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
      const words = name === 'help' ? rest.filter((arg) => !arg.startsWith('-')) : [];
      await printText(stdout, await helpText(words, columns));
      return name === undefined ? exitCodes.usage : exitCodes.ok;
    }
    if (name === '--version' || name === '-V') {
      await printLines(stdout, [version]);
      return exitCodes.ok;
    }
    return await run(name, rest, { terminal, signal, setOrigin });
  } catch (error) {
    // Output is no longer possible.
    if (Object(signal.reason).code === 'OUTPUT_ENDED') return exitCodes.ok;
    const failure = failureOf(signal.aborted && signal.reason !== undefined ? signal.reason : error, origin);
    if (wantsJson(args)) await printJson(stdout, `${JSON.stringify(failure)}\n`);
    else await printLines(stderr, failureLines(failure));
    return failure.exitCode;
  }
}

interface Surroundings {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Gets the options that name the list, for the message of an error. */
  setOrigin(words: string): void;
}

async function run(called: string, args: readonly string[], { terminal, signal, setOrigin }: Surroundings): Promise<ExitCode> {
  const { name, command, rest } = await chosen(called, args);
  // Before the arguments are checked, because a request for help often comes with wrong ones.
  if (asksForHelp(rest, command.options)) {
    await printText(terminal.stdout, helpOf(name, command, columnsOf(terminal.stdout)));
    return exitCodes.ok;
  }
  const { options, positionals } = parse(rest, command.options);
  setOrigin(originWords(options, command.options));
  if (command.positionals === '' && positionals[0] !== undefined) throw unexpectedArgument(name, command, positionals[0]);
  const output = createOutput(terminal, {
    format: formatOf(options),
    isQuiet: options.has('quiet'),
    isPlain: options.has('no-color'),
  });
  if (options.has('dry-run') && !command.canDryRun)
    throw new UsageError(`${name} makes no changes, so --dry-run does not apply to it`);
  return command.run({ options, positionals, output, env: terminal.env, input: inputOf(terminal, signal), signal });
}

function unexpectedArgument(name: string, { options, argumentHint, hidesArguments }: Command, text: string): UsageError {
  const hint = typeof argumentHint === 'function' ? argumentHint(text) : argumentHint;
  // A file or a URL is no option without its hyphens.
  const [word = ''] = /^[\w-]*(?=$|=)/.exec(text) ?? [];
  const similar = nearestName(word, [...Object.keys(options), ...Object.keys(commonOptions)]);
  const next = similar === undefined ? (hint ?? `see portcullis help ${name}`) : `did you mean --${similar}?`;
  return hidesArguments
    ? new UsageError('unexpected argument', hint)
    : new UsageError(`unexpected argument${quoted(text)}`, next);
}

interface Chosen {
  readonly name: string;
  readonly command: Command;
  readonly rest: readonly string[];
}

/** The command, or the subcommand that its first argument names. */
async function chosen(name: string, rest: readonly string[], alsoMeant: readonly string[] = []): Promise<Chosen> {
  const command = await loaded(name, alsoMeant);
  const at = command.parts === undefined ? -1 : firstPositionalAt(rest, command.options);
  const part = rest[at];
  if (command.parts === undefined || part === undefined) return { name, command, rest };
  return { name: `${name} ${part}`, command: await command.parts.of(part), rest: [...rest.slice(0, at), ...rest.slice(at + 1)] };
}

/** The overview, a topic, or the help of a command. */
async function helpText([first, ...rest]: readonly string[], columns: number): Promise<string> {
  const { topicNames, topicText } = await import('./arguments/help-topics.js');
  if (first === undefined || first === 'help') return overview(topicNames, columns);
  const text = topicText(first, columns);
  if (text !== undefined) return text;
  const { name, command } = await chosen(first, rest, topicNames);
  return helpOf(name, command, columns);
}

async function loaded(name: string, alsoMeant: readonly string[]): Promise<Command> {
  const entry = commands.get(name);
  if (entry !== undefined) return entry.load();
  if (name.startsWith('-')) throw misplacedOption(name);
  const [what, line] = alsoMeant.length === 0 ? ['command', 'portcullis'] : ['command or topic', 'portcullis help'];
  throw unknownName(
    what,
    name,
    [...commands.keys(), ...alsoMeant],
    line,
    `list the ${what.replace(' or ', 's and ')}s with: portcullis help`,
  );
}

function formatOf(options: ParsedOptions): Format {
  const output = options.text('output') as Format | undefined;
  if (!options.has('json')) return output ?? 'human';
  if (output !== undefined && output !== 'json') throw new UsageError(`--json and --output=${output} cannot be combined`);
  return 'json';
}

/** Also handles arguments that could not be parsed. */
function wantsJson(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.some((arg, at) => arg === '--json' || arg === '--output=json' || (arg === '--output' && own[at + 1] === 'json'));
}

function overview(topics: readonly string[], columns: number): string {
  const lines = aligned(
    [...commands].map(([name, { summary }]) => [name, summary] as const),
    columns,
  );
  return [
    wrap('Checks on this machine whether a link or an address is a known scam.', columns, ''),
    '',
    'Examples',
    lineToCopy('check --local https://login.scam-mint.example/', columns),
    lineToCopy('check --list my-list.txt 0x52908400098527886E0F7030069857D2E4169EE7', columns),
    lineToCopy('serve', columns),
    '',
    'Commands',
    ...lines,
    '',
    wrap('portcullis help <command> shows the examples and options of a command.', columns, ''),
    wrap(`portcullis help <topic> explains ${topics.slice(0, -1).join(', ')} and ${topics.at(-1)}.`, columns, ''),
    '',
  ].join('\n');
}
