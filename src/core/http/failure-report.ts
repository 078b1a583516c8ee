import { isStatusCode } from './http-status.js';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a successful response reports a failure: by the code of a status, an `error` or `errors` with content, or a flag. */
export function reportsFailure(body: Fields): boolean {
  const { code, error, errors } = body;
  const hasError = [error, errors].some((value) => value && (typeof value !== 'object' || Object.keys(value).length > 0));
  return isStatusCode(code) || hasError || hasFailureFlag(body);
}

/** Whether `success` or `ok` is false, or a status says that the call failed. */
export function hasFailureFlag({ success, ok, status, statusCode }: Fields): boolean {
  const isFailure = /^(0|false|error|fail(ed|ure)?|[45]\d\d)$/i;
  return [success, ok, status, statusCode].some((value) => isFailure.test(jsonWord(value)));
}

/** A foreign JSON value as one word; empty for an object, whose own `toString` may be any value and would make `String` throw. */
export function jsonWord(value: unknown): string {
  return typeof value === 'object' ? '' : String(value);
}
