/** Every kind of navigation and of redirect that leads to a listed page. The tests of both browsers go through all of them. */

/** What both drivers of browsers have. */
export interface DrivenPage {
  evaluate<Given, Result>(act: (given: Given) => Result, given: Given): Promise<Result>;
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
}

/** Ways to open a page in a tab, and ways to open one in a frame. */
export const pageWays = [
  ...['typed', 'link', 'same-site link', 'below a clean page', 'new tab', 'window.open', 'form', 'POST'],
  ...['location.replace', 'meta refresh'],
] as const;
export const frameWays = [
  ...['iframe', 'nested iframe', 'srcdoc', 'sandboxed iframe', 'credentialless iframe', 'frame that moves on'],
  ...['link into a frame', 'POST into a frame', 'object', 'embed'],
] as const;
export type Way = (typeof pageWays)[number] | (typeof frameWays)[number];

export const redirects = ['none', '301', '302', '303', '307', '308', '302 to 307', 'meta', 'script', 'header'] as const;
export type RedirectKind = (typeof redirects)[number];

const isFrame = (way: Way): boolean => (frameWays as readonly string[]).includes(way);

/** Whether a page is listed below a host that has other, clean pages. */
const isPath = (way: Way): boolean => way === 'same-site link' || way === 'below a clean page';

/** One cell of the table, with hosts of its own, so that what one cell taught the extension does not count for another. */
export interface Cell {
  readonly way: Way;
  readonly redirect: RedirectKind;
  /** What is listed. */
  readonly entry: string;
  readonly host: string;
  /** The page that the navigation starts from. */
  readonly startUrl: string;
  /** The link that it follows. */
  readonly url: string;
  /** Whether Chromium's gate holds the last request: a GET that opens a page from elsewhere, on a host without a pass. */
  readonly meetsGate: boolean;
}

export function cellsOf(prefix: string): Cell[] {
  return [...pageWays, ...frameWays].flatMap((way, row) =>
    redirects.map((redirect, column): Cell => {
      const id = `${prefix}${row}-${column}`;
      const host = isPath(way) ? `own${id}.example` : `poll${id}.example`;
      const listedUrl = `http://${host}${isPath(way) ? '/polls' : '/'}`;
      const hop = way === 'same-site link' ? `hop.${host}` : `hop${id}.example`;
      const startHost = isPath(way) ? host : `start${id}.example`;
      const isStillPost = way === 'POST' && ['none', '307', '308'].includes(redirect);
      return {
        ...{ way, redirect, host, entry: isPath(way) ? `${host}/polls` : host },
        startUrl: `http://${startHost}/`,
        url: linkTo(listedUrl, redirect, hop),
        meetsGate: !isFrame(way) && !isPath(way) && !isStillPost,
      };
    }),
  );
}

function linkTo(url: string, redirect: RedirectKind, hop: string): string {
  const through = (to: string, by: string): string => `http://${hop}/?by=${by}&to=${encodeURIComponent(to)}`;
  if (redirect === 'none') return url;
  return redirect === '302 to 307' ? through(through(url, '307'), '302') : through(url, redirect);
}

/** Runs in the page that the navigation starts from. */
export function follow({ way, url }: { way: string; url: string }): void {
  const add = <Name extends keyof HTMLElementTagNameMap>(name: Name, values: object): HTMLElementTagNameMap[Name] => {
    const element = Object.assign(document.createElement(name), values);
    document.body.append(element);
    return element;
  };
  const frame = (values: object): HTMLIFrameElement => add('iframe', values);
  const send = (method: string, target = ''): void => {
    const form = add('form', { method, target });
    // A GET form replaces the query of its address.
    for (const [name, value] of method === 'get' ? new URL(url).searchParams : []) form.append(field(name, value));
    form.action = url;
    form.submit();
  };
  const field = (name: string, value: string): HTMLInputElement =>
    Object.assign(document.createElement('input'), { type: 'hidden', name, value });
  const quoted = url.replaceAll('&', '&amp;');
  const acts: Record<string, () => unknown> = {
    link: () => add('a', { href: url }).click(),
    'same-site link': () => add('a', { href: url }).click(),
    'new tab': () => add('a', { href: url, target: '_blank' }).click(),
    'window.open': () => window.open(url),
    form: () => send('get'),
    POST: () => send('post'),
    'location.replace': () => location.replace(url),
    'meta refresh': () =>
      document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: `0; url=${url}` })),
    iframe: () => frame({ src: url }),
    'nested iframe': () => frame({ srcdoc: `<iframe srcdoc="<iframe src='${quoted}'></iframe>"></iframe>` }),
    srcdoc: () => frame({ srcdoc: `<iframe src="${quoted}"></iframe>` }),
    'sandboxed iframe': () => {
      const inner = document.createElement('iframe');
      inner.setAttribute('sandbox', 'allow-scripts');
      inner.src = url;
      document.body.append(inner);
    },
    'credentialless iframe': () => frame({ credentialless: true, src: url }),
    'frame that moves on': () => {
      const inner = frame({ srcdoc: '<p>clean</p>' });
      inner.onload = () => {
        inner.onload = null;
        inner.contentWindow!.location.href = url;
      };
    },
    'link into a frame': () => {
      frame({ name: 'inner' });
      add('a', { href: url, target: 'inner' }).click();
    },
    'POST into a frame': () => {
      frame({ name: 'inner' });
      send('post', 'inner');
    },
    object: () => add('object', { data: url }),
    embed: () => add('embed', { src: url }),
  };
  acts[way]!();
}
