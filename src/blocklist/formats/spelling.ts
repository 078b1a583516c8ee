import { hasFailureFlag } from '../../core/http/failure-report.js';

/** Reads objects from untrusted JSON: own properties only, under the first known name. */

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** The object that an answer is, or `null` for any other value and for an object that reports a failure although its status is 200. */
export function answered(value: unknown): Readonly<Record<string, unknown>> | null {
  const object = objectOf(value);
  const isFailure = firstOf(object, ['error', 'errors', 'code']) !== undefined || hasFailureFlag(object);
  return object === value && !isFailure ? object : null;
}

export function firstOf(object: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((candidate) => hasOwn.call(object, candidate));
  return name === undefined ? undefined : object[name];
}

/** `Object.hasOwn` is missing in older engines that the core supports. */
const { hasOwnProperty: hasOwn } = Object.prototype;
