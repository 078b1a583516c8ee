import { hasFailureFlag } from '../../core/http/failure-report.js';

/** Reads objects from untrusted JSON: own properties only, under the first known name. */

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Whether an answer of status 200 reports a failure. */
export function isFailure(answer: Readonly<Record<string, unknown>>): boolean {
  return firstOf(answer, ['error', 'errors', 'code']) !== undefined || hasFailureFlag(answer);
}

export function firstOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((candidate) => hasOwn.call(object, candidate));
  return name === undefined ? undefined : object[name];
}

/** `Object.hasOwn` is missing in older engines that the core supports. */
const { hasOwnProperty: hasOwn } = Object.prototype;
