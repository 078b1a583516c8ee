/** Headers that belong to one connection and not to the message (RFC 9110 §7.6.1); Node writes its own. */
const always = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

const usual: ReadonlySet<string> = new Set(always);

/** The names of these headers, with those that the header `Connection` adds. */
export function connectionHeaders(connection: string | null | undefined): ReadonlySet<string> {
  if (connection === null || connection === undefined || /^(keep-alive|close)$/i.test(connection)) return usual;
  return new Set([
    ...always,
    ...connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  ]);
}
