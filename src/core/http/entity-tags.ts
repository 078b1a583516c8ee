/** Whether `If-None-Match` matches a tag (RFC 9110 §13.1.2): it is `*`, or a list with the tag, which a compressing cache may have weakened. */
export function matchesTag(header: string | null, etag: string): boolean {
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header?.trim() === '*' || header?.split(',').some((tag) => strong(tag) === strong(etag)) === true;
}
