import { createService, type ServedService, type ServerOptions } from 'portcullis/testing';
import { expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { OperationName } from '../../../src/api/operations/all-operations.js';
import { allOperations } from '../../../src/api/operations/all-operations.js';
import { sharedHostSet } from '../../../src/blocklist/lists/covering-set.js';
import { SHARED_HOSTS } from '../../../src/blocklist/lists/shared-hosts.js';
import { allAlgorithms } from '../../../src/core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../../src/core/algorithms/registry.js';
import { allFamilies } from '../../../src/core/assets/all-families.js';
import type { AnswerOf, Context, HandlerCall, Handlers, InputOf } from '../../../src/servers/service/handlers/handler-context.js';
import { handlers } from '../../../src/servers/service/handlers/handlers.js';
import { organizationFor } from '../../../src/servers/service/http/access.js';
import { Problem } from '../../../src/servers/service/http/problem.js';
import { ensureAsset, parseAsset, setStatus } from '../../../src/servers/service/records/asset-records.js';
import { newOrganization } from '../../../src/servers/service/state/sample.js';
import { JobClock } from '../../../src/servers/service/state/service-clock.js';
import { State } from '../../../src/servers/service/state/state.js';
import type { AssetRecord, AssetStatus, Key, Organization } from '../../../src/servers/service/state/state-tables.js';
import { checkedFetch } from './checked-fetch.js';
import { undeclaredFields } from './undeclared-fields.js';

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;
/** A Friday at noon, in the middle of the month. */
export const startMs = Date.UTC(2026, 4, 15, 12);

/** A service with a clock that only a test moves; it is closed after the test. */
export function start(options: ServerOptions = {}): ServedService {
  const service = createService({ now: () => startMs, ...options });
  onTestFinished(() => service.close().catch(() => {}));
  return service;
}

/** The headers of a call with a JSON body. */
export const headersWith = (key: string) => ({ 'x-api-key': key, 'content-type': 'application/json' });

type Asked = Pick<ServedService, 'fetch' | 'key'>;

/** Calls a service in this process, by POST if there is a body, and checks the traffic against the OpenAPI document. */
export async function ask(
  service: Asked,
  path: string,
  body?: object,
  { key = service.key, ...init }: RequestInit & { key?: string } = {},
) {
  const wrong: string[] = [];
  const send = checkedFetch(wrong, { send: (url, given) => service.fetch(url, given), mayBeRefused: true });
  const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await send(`http://localhost${path}`, { headers: headersWith(key), ...given, ...init });
  expect(wrong).toEqual([]);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

export const hookUrl = 'https://hook.example/';

/** Causes an event for a webhook at this address. */
export async function happen(service: Asked, url: string = hookUrl): Promise<void> {
  await ask(service, '/webhook/config', { url });
  await ask(service, '/organization/assets', { assets: [{ content: 'https://mine.example/' }] });
}

/** A `post` option that records what is sent to where, and answers with a status. */
export function recorder(status = 204) {
  const sent: { readonly url: string; readonly body: string }[] = [];
  const post: NonNullable<ServerOptions['post']> = async (url, _headers, body) => {
    sent.push({ url, body });
    return status;
  };
  return { sent, post };
}

type Name = keyof typeof handlers;

export type As = 'acme' | 'other' | 'both';

/** Two organizations with a key each, and a user whose key reaches both. Calls handlers as the pipeline does. */
export class Harness {
  readonly state = new State();
  readonly clock = new JobClock(() => startMs);
  readonly context: Context;
  readonly acme: Organization;
  readonly other: Organization;
  readonly keys: Readonly<Record<As, Key>>;

  constructor(acme: Partial<Organization> = {}) {
    const settings = {
      source: 'portcullis',
      reviewsPerDay: 1_000,
      allowPrivateTargets: false,
      encoding: 'portcullis-rice',
      nestedErrors: false,
      pageLimits: 'schema',
      rules: {
        algorithm: algorithmIn(allAlgorithms, 'portcullis-1'),
        families: allFamilies,
        sharedHosts: sharedHostSet(SHARED_HOSTS),
      },
    } as const;
    this.context = { state: this.state, clock: this.clock, random: () => 0.5, settings, keyBehind: (text) => text };
    const { state } = this;
    this.acme = state.add('organizations', { ...newOrganization('acme', startMs), ...acme });
    this.other = state.add('organizations', newOrganization('other', startMs));
    const user = state.add('users', { fullName: 'Robin Example', email: 'robin@example.com', role: 'CUSTOMER' });
    this.keys = {
      acme: state.add('keys', { value: 'k1', organizationIds: [this.acme.id], userId: null }),
      other: state.add('keys', { value: 'k2', organizationIds: [this.other.id], userId: null }),
      both: state.add('keys', { value: 'k3', organizationIds: [this.acme.id, this.other.id], userId: user.id }),
    };
  }

  /** Calls an operation, and checks input and answer against its row. */
  ask<const Asked extends Name>(name: Asked, input: InputOf<Asked> | object = {}, as: As = 'acme'): AnswerOf<Asked> {
    const row = allOperations.find((one) => one.name === name)!;
    const read = z.safeParse(row.input, input);
    if (!read.success)
      throw new Problem(400, read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    const { result } = this.state.transact(() => {
      const call = this.call(
        as,
        organizationFor(this.state, this.keys[as], row, new Map<string, unknown>(Object.entries(input as object))),
      );
      return (handlers as unknown as Handlers)[name as OperationName](call, read.data as never);
    });
    const written = z.safeParse(row.output, result);
    if (!written.success)
      throw new Error(`${name} does not match the output of its row: ${JSON.stringify(written.error.issues)}`);
    expect(undeclaredFields(name, result)).toEqual([]);
    return result as AnswerOf<Asked>;
  }

  /** The status that the call is rejected with, which its row must document. Nothing may have changed. */
  refusal(name: Name, input: object = {}, as: As = 'acme'): number {
    const before = JSON.stringify(this.state);
    try {
      this.ask(name, input as never, as);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { statuses } = allOperations.find((row) => row.name === name)!;
      expect([400, 401, 403, 404, ...statuses], `${name}: ${error.message}`).toContain(error.status);
      expect(JSON.stringify(this.state)).toBe(before);
      return error.status;
    }
    throw new Error(`${name} was not refused`);
  }

  call(as: As, organization: Organization | null): HandlerCall {
    return { ...this.context, key: this.keys[as], organization, base: 'http://localhost' };
  }

  asset(text: string, status: AssetStatus = 'UNKNOWN', of: Organization = this.acme): AssetRecord {
    const parsed = parseAsset(text);
    if ('refused' in parsed) throw new Error(`${text}: ${parsed.refused}`);
    const asset = ensureAsset(this.context, parsed);
    return status === 'UNKNOWN' ? asset : setStatus({ ...this.context, organization: of }, asset, status, 'seed');
  }

  brand(name: string, of: Organization = this.acme, type = 'PRODUCT'): number {
    return this.state.add('brands', { organizationId: of.id, name, slug: name.toLowerCase(), type }).id;
  }

  report(contents: readonly string[], more: object = {}): number {
    return this.ask('reportCreate', { organizationSlug: 'acme', assets: contents.map((content) => ({ content, ...more })) }).id;
  }

  /** Reports an asset and approves the proposal. */
  block(content: string, more: { label?: 'General Phishing' | 'Brand Impersonation'; brandId?: number } = {}): AssetRecord {
    const id = this.report([content]);
    const proposal = this.state.all('proposals').find(({ reportId }) => reportId === id)!;
    const { label = 'General Phishing', brandId } = more;
    const review = {
      proposalId: proposal.id,
      assetId: proposal.assetId,
      decision: 'APPROVE',
      label,
      ...(brandId !== undefined && { brandId }),
    };
    this.ask('organizationProposalsReview', review);
    return this.state.get('assets', proposal.assetId)!;
  }
}
