import { requireTarget } from '../delivery/targets.js';
import { Problem } from '../http/problem.js';

/** Scheme and host, without a user name before it or spaces anywhere. */
const webUrl = /^https?:\/\/[^\s/\\?#@]+([/\\?#]\S*)?$/i;

const isWebUrl = (url: string): boolean => webUrl.test(url) && URL.canParse(url);

/** Rejects fields, by path, that have another value than an absolute URL of http or https. provisional: that others are a 400 */
export function requireWebUrls(fields: readonly (readonly [path: string, url: string | undefined])[]): void {
  const issues = fields.flatMap(([path, url]) =>
    url === undefined || isWebUrl(url)
      ? []
      : [{ path, message: 'must be an absolute URL of http or https, without a user name or spaces' }],
  );
  if (issues.length > 0) throw new Problem(400, '', { issues });
}

/** Rejects a target URL that must not receive requests. */
export function requireUrl(name: string, url: string, allowPrivateTargets: boolean): void {
  requireWebUrls([[name, url]]);
  try {
    requireTarget(url, allowPrivateTargets);
  } catch (error) {
    throw new Problem(400, `${name} is rejected: ${(error as Error).message}.`);
  }
}
