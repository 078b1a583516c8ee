/** The address of a list as URLs are written; empty if no list can have it. Every source of the library takes what this returns. */
export function listAddress(text: string): string {
  if (!URL.canParse(text)) return '';
  const { href, protocol, hostname, username, password } = new URL(text);
  if (username + password !== '' || /[?#]/.test(href) || /^\.|\.\./.test(hostname)) return '';
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1') ? href : '';
}
