import { allOperations, type FullOperation } from '../../../api/operations/all-operations.js';

/** The route of the one operation whose route is not published. provisional */
export const provisionalPaths: Readonly<Record<string, string>> = {
  metricsBlockedByFirstReportSource: 'POST /metrics/blocked-by-first-report-source',
};

export interface Match {
  readonly row: FullOperation;
  readonly params: ReadonlyMap<string, string>;
}

export type Routed = Match | { readonly allow: readonly string[] } | { readonly nearest: string };

interface Route {
  readonly row: FullOperation;
  readonly method: string;
  readonly segments: readonly string[];
  readonly text: string;
}

const routes: readonly Route[] = allOperations.map((row) => {
  const [method, path] = (provisionalPaths[row.name]?.split(' ') ?? [row.method!, row.path!]) as [string, string];
  return { row, method, segments: path.split('/'), text: `${method} ${path}` };
});

/** Routes without a parameter, by method and path. */
const fixed = new Map(routes.filter(({ text }) => !text.includes('{')).map((route) => [route.text, route]));

/** The documented base path. The service answers at the root of its host too, so that a proxy can add a path of its own. */
const basePath = '/api/v2';

/** The path of a request below the base path, without slashes at its end. */
export function pathIn(pathname: string): string {
  const path = withoutSlash(pathname);
  return path === basePath ? '/' : path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

export function withoutSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}

/** The operation of a request; else the methods that its path allows; else the nearest route. */
export function routeTo(method: string, path: string): Routed {
  const found = fixed.get(`${method} ${path}`);
  if (found !== undefined) return { row: found.row, params: new Map() };
  const segments = path.split('/');
  const allow: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route, segments);
    if (params === null) continue;
    if (route.method === method) return { row: route.row, params };
    allow.push(route.method);
  }
  return allow.length > 0 ? { allow: [...new Set(allow)] } : { nearest: nearestTo(`${method} ${path}`) };
}

function paramsOf({ segments: wanted }: Route, given: readonly string[]): Map<string, string> | null {
  if (wanted.length !== given.length) return null;
  const params = new Map<string, string>();
  for (const [at, segment] of wanted.entries()) {
    const value = given[at]!;
    if (segment.startsWith('{')) {
      const text = decoded(value);
      if (text === null || text === '') return null;
      params.set(segment.slice(1, -1), text);
    } else if (segment !== value) return null;
  }
  return params;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** The route that shares the longest start and end with a text. */
function nearestTo(text: string): string {
  let nearest = routes[0]!.text;
  let most = -1;
  for (const route of routes) {
    const shared = sharedLength(text, route.text);
    if (shared > most) [nearest, most] = [route.text, shared];
  }
  return nearest;
}

function sharedLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let start = 0;
  while (start < length && a[start] === b[start]) start++;
  let end = 0;
  while (end < length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return start + end;
}
