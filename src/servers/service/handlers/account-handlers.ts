import { Problem } from '../http/problem.js';
import { type Organization, serviceFlags, type User } from '../state/state-tables.js';
import { absentDocument, type HandlerCall, type Handlers, requireReached } from './handler-context.js';

type ServiceName = keyof Organization['services'];

export const accountHandlers = {
  // provisional: the response. An invalid key never gets here.
  validate(call) {
    const user = userOf(call);
    return {
      valid: true,
      kind: user === null ? 'organization' : 'user',
      userId: user?.id ?? null,
      organizations: reached(call).map(organizationRef),
    };
  },

  // provisional: the response. The key of an organization has no user.
  userMe(call) {
    const user = userOf(call);
    return { user: user === null ? null : userView(user), organizations: reached(call).map(organizationRef) };
  },

  // provisional: the only field that can be changed.
  userMeUpdate(call, input) {
    const user = userOf(call);
    if (user === null) throw new Problem(403, 'The key belongs to an organization, not to a user.');
    const { fullName, ...others } = input;
    const unknown = Object.keys(others);
    if (unknown.length > 0)
      throw new Problem(400, 'Some fields cannot be changed.', {
        issues: unknown.map((path) => ({ path, message: 'cannot be changed' })),
      });
    if (typeof fullName !== 'string' || fullName.trim() === '' || fullName.length > 255) {
      throw new Problem(400, 'fullName must have 1 to 255 characters.');
    }
    return { user: userView(call.state.change('users', user.id, { fullName })) };
  },

  // provisional: a filter is one value or several, and services may also be an object of flags.
  userOrgs(call, { subscriptionStatus, services, obligatoryAdminApproval, query }) {
    const statuses = textsOf('subscriptionStatus', subscriptionStatus);
    const flags = flagsOf(services);
    const found = reached(call).filter(
      (organization) =>
        (statuses === null || statuses.includes(organization.subscriptionStatus)) &&
        flags.every(([name, active]) => organization.services[name as ServiceName] === active) &&
        (obligatoryAdminApproval === undefined || organization.obligatoryAdminApproval === obligatoryAdminApproval) &&
        (query === undefined ||
          [organization.name, organization.slug].some((text) => text.toLowerCase().includes(query.toLowerCase()))),
    );
    return { organizations: found.map(organizationView) };
  },

  userOrgsGet(call, { slug }) {
    const organization = call.state.all('organizations').find((one) => one.slug === slug && !isGone(one));
    return organizationView(requireReached(call.key, organization));
  },
} satisfies Partial<Handlers>;

function userOf({ state, key }: HandlerCall): User | null {
  return key.userId === null ? null : (state.get('users', key.userId) ?? null);
}

function userView({ id, fullName, email, role }: User) {
  return { id, fullName, email, role };
}

/** The organizations of the key, without inactive ones, which are never shown. */
function reached({ state, key }: HandlerCall): Organization[] {
  return key.organizationIds.flatMap((id) => {
    const organization = state.get('organizations', id);
    return organization === undefined || isGone(organization) ? [] : [organization];
  });
}

function isGone({ subscriptionStatus }: Organization): boolean {
  return subscriptionStatus === 'INACTIVE';
}

function organizationRef({ id, slug, name }: Organization) {
  return { id, slug, name };
}

function textsOf(name: string, value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!texts.every((text): text is string => typeof text === 'string'))
    throw new Problem(400, `${name} must be a string or an array of strings.`);
  return texts.length === 0 ? null : texts;
}

/** The services that must be active, or an object of services and whether each must be. */
function flagsOf(value: unknown): (readonly [name: string, active: boolean])[] {
  const flags: (readonly [string, unknown])[] =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : (textsOf('services', value) ?? []).map((name) => [name, true] as const);
  return flags.map(([name, active]) => {
    if (!Object.hasOwn(serviceFlags, name) || typeof active !== 'boolean')
      throw new Problem(400, `services: ${name} is unknown, or its value is not a boolean.`);
    return [name, active];
  });
}

/** An organization; its portal is off, and it has no documents or trademarks here. */
function organizationView(organization: Organization) {
  const { id, name, slug, subscriptionStatus, services, obligatoryAdminApproval } = organization;
  const service = (key: ServiceName) => ({ active: services[key] });
  return {
    id,
    name,
    slug,
    avatarUrl: null,
    subscriptionStatus,
    portalVisibility: 'DISABLED',
    reportVisibility: 'PRIVATE',
    metricsVisibility: 'DISABLED',
    portalCustomization: {
      useCustomDetails: false,
      name: null,
      slug: null,
      avatarUrl: null,
      bannerEnabled: false,
      bannerContent: null,
    },
    brandMetadata: { websiteUrl: null, twitterHandle: null, securityContactEmail: null, industry: null },
    services: {
      reporting: service('reporting'),
      reviewing: service('reviewing'),
      protection: service('protection'),
      takedowns: { active: services.takedowns, automated: organization.takedownsAutomated },
      detection: service('detection'),
      darkWebMonitoring: service('darkWebMonitoring'),
    },
    obligatoryAdminApproval,
    integrations: {
      slack: false,
      discord: organization.discordGuildIds.length > 0,
      telegram: { connected: organization.telegramGroupIds.length > 0, groupCount: organization.telegramGroupIds.length },
      vercel: false,
      intercom: false,
      moderation: false,
    },
    legalDocuments: { letterOfAuthorization: absentDocument, powerOfAttorney: absentDocument },
    trademarkRegistrations: [],
  };
}
