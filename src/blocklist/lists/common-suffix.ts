/** Whether a host is a top-level domain, or one of the second levels that most countries use. */
export function isCommonSuffix(host: string): boolean {
  return /^([^.]+|(ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2})$/.test(host);
}
