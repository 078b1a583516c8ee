/**
 * Whether a page, as a host and a path, is only a part of the account or work that its address names, as a message of a channel or a
 * version of a package is: its last segment is no part of the name if the address means the same without it, or with another one.
 *
 * @param names Whether a text names that account or work
 */
export function isPartOf(page: string, names: (text: string) => boolean): boolean {
  const end = page.lastIndexOf('/');
  const above = end < 0 ? page : page.slice(0, end);
  const last = end < 0 ? '' : page.slice(end + 1);
  return version.test(last) || names(above) || names(`${above}/${/other/i.test(last) ? 'someone' : 'other'}`);
}

/** `package@1.2.3` and `package-1.2.3.tar`, but not `@name` and `12345@N00`. */
const version = /.@v?\d|\.(?:tar|tgz|zip|crate|apk)$/;
