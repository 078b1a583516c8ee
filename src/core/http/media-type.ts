/** The media type in a `Content-Type`, without its parameters and in lower case; empty if there is none. */
export function mediaTypeOf(header: string | null | undefined): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
