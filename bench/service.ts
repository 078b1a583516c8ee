import { spawnSync } from 'node:child_process';
import {
  compared,
  type Figures,
  type Group,
  type Limits,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** What does the embedded service cost a test: once to create it, and for each call? */
export const service: Question = { name: 'service', title: 'The embedded service: its start, and one asset check', groups, rows };

const bareNode = 'node -e 0';
const constant = 'a handler: request read, schema, constant answer';
const least = 'schema and constant answer alone';
const coldName = 'cold start with imports, to the first answer';
const startName = 'createService and its first answer';
const checkName = 'asset check in process';

const budgets: Record<string, Limits> = {
  [startName]: { [bareNode]: { ratio: 0.5, limit: '≤ 0.5 ×' } },
  [checkName]: { [least]: { ratio: 5, limit: '≤ 5 ×' } },
};

function groups(settings: Settings): Group[] {
  return [
    {
      name: startName,
      variants: [
        { name: 'in a started process', measure: () => timeFirstAnswer(settings) },
        { name: bareNode, measure: () => timeStart(['-e', '0'], settings) },
      ],
    },
    {
      name: coldName,
      variants: [
        { name: 'node with createService', measure: () => timeStart(['--input-type=module', '-e', firstAnswer], settings) },
        { name: bareNode, measure: () => timeStart(['-e', '0'], settings) },
        { name: 'node that imports undici', measure: () => timeStart(importing('undici'), settings) },
        { name: 'node that imports zod/mini', measure: () => timeStart(importing('zod/mini'), settings) },
      ],
    },
    {
      name: checkName,
      sameAnswer: true,
      variants: [
        { name: 'service.fetch', measure: () => timeCalls(serviceOf(0), settings) },
        { name: constant, measure: () => timeCalls(constantHandler(true), settings) },
        { name: least, measure: () => timeCalls(constantHandler(false), settings) },
        {
          name: 'service.fetch, 10k assets submitted before',
          measure: () => timeCalls(serviceOf(settings.quick ? 100 : 10_000), settings),
        },
      ],
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => {
    const unit = group.name === checkName ? 'ns' : 'ms';
    return compared(results, group, unit, unit, budgets[group.name]);
  });
}

/** Prints the time from the end of the imports to the first answer. */
const firstAnswer = `
  import { createService } from 'portcullis/testing';
  const startMs = performance.now();
  const service = createService();
  const headers = { 'x-api-key': service.key, 'content-type': 'application/json' };
  const body = JSON.stringify({ content: 'https://login.scam-mint.example/claim' });
  const response = await service.fetch('https://service.invalid/asset/check', { method: 'POST', headers, body });
  if ((await response.json()).status !== 'BLOCKED') process.exitCode = 1;
  console.log(performance.now() - startMs);
`;

const importing = (name: string): string[] => ['--input-type=module', '-e', `import '${name}';`];

/** Time from the start to the end of a process. */
function timeStart(args: string[], settings: Settings): Figures {
  return medianOf(settings, () => {
    const startMs = performance.now();
    outputOf(args);
    return performance.now() - startMs;
  });
}

/** The cost for a test that has imported the package, but has not called any of it. */
function timeFirstAnswer(settings: Settings): Figures {
  return medianOf(settings, () => Number(outputOf(['--input-type=module', '-e', firstAnswer])));
}

function medianOf(settings: Settings, timeMs: () => number): Figures {
  return { ms: spreadOf(Array.from({ length: settings.quick ? 2 : 12 }, timeMs)).median };
}

/** The output of a child process, which is cold whatever this process has loaded. */
function outputOf(args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the process failed: ${stderr}`);
  return stdout;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const key = 'key-example-wallet';

/** The service with its sample data and this number of additional assets. */
const serviceOf = (assets: number) => async (): Promise<Fetch> => {
  const { createService } = await import('portcullis/testing');
  const made = createService();
  for (let from = 0; from < assets; from += 100) {
    const texts = Array.from({ length: 100 }, (_, at) => `https://asset-${from + at}.example/`);
    await made.fetch('https://service.invalid/asset/submit', requestOf({ assets: texts }));
  }
  return (url, init) => made.fetch(url, init);
};

/** The minimum cost of an answer: a request (parsed or ready-made), an input checked by the same schema, a response. */
const constantHandler = (reads: boolean) => async (): Promise<Fetch> => {
  const z = await import('zod/mini');
  const { assets } = await import('portcullis/client');
  const answer = { status: 'BLOCKED', source: 'portcullis', sources: [{ source: 'portcullis', status: 'BLOCKED' }] };
  return async (url, init) => {
    const input: unknown = reads ? await new Request(url, init).json() : JSON.parse(String(init.body));
    const { success } = z.safeParse(assets.check.input, input);
    return Response.json({ ...answer, reason: 'parent-domain' }, { status: success ? 200 : 400 });
  };
};

function requestOf(input: object): RequestInit {
  return { method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' }, body: JSON.stringify(input) };
}

/** Reads each answer, as a caller would. */
async function timeCalls(make: () => Promise<Fetch>, settings: Settings): Promise<Figures> {
  const fetch = await make();
  const round = async (count: number): Promise<number> => {
    let answer = 0;
    for (let at = 0; at < count; at++) {
      const init = requestOf({ content: `https://login-${at}.scam-mint.example/claim` });
      const response = await fetch('https://service.invalid/asset/check', init);
      answer += (await response.text()).length + response.status;
    }
    return answer;
  };
  const count = settings.quick ? 100 : 4_000;
  const answer = await round(count);
  const startMs = performance.now();
  const again = await round(count);
  const ns = ((performance.now() - startMs) * 1e6) / count;
  if (again !== answer) throw new Error('the second pass returned other answers than the first');
  return { ns, answer };
}
