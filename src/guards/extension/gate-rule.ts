import type { ExtensionBrowser, GateRule } from './extension-browser.js';

const gateRuleId = 1;

/**
 * Opens or closes Chromium's gate. A dynamic rule outlives the browser, so the first page after a start meets the gate too.
 * An unchanged rule is left alone: a change writes a file, each time the worker starts.
 */
export async function setGateRule(browser: ExtensionBrowser, gateUrl: string | null): Promise<void> {
  const rules = browser.declarativeNetRequest;
  if (rules === undefined) return;
  const wanted = gateUrl === null ? [] : [gateRule(gateUrl)];
  const found = (await rules.getDynamicRules()) as readonly GateRule[];
  const ours = found.filter(({ id }) => id === gateRuleId);
  if (areSameRules(ours, wanted)) return;
  await rules.updateDynamicRules({ removeRuleIds: [gateRuleId], addRules: wanted });
}

const gateRule = (gateUrl: string): GateRule => ({
  id: gateRuleId,
  priority: 1,
  action: { type: 'redirect', redirect: { regexSubstitution: `${gateUrl}?\\0` } },
  condition: {
    regexFilter: '^https?://.*',
    // Same-site links keep their cookies and their referrer. Typed addresses and redirects to other sites count as third-party.
    domainType: 'thirdParty',
    // A redirect would lose the body of a POST.
    requestMethods: ['get'],
    resourceTypes: ['main_frame'],
  },
});

/** The browser adds fields and changes their order, so only what rules set is compared. */
export function areSameRules(found: readonly GateRule[], wanted: readonly GateRule[]): boolean {
  const keyOf = ({ id, priority, action, condition }: GateRule): string =>
    JSON.stringify([
      ...[id, priority, action.type, action.redirect?.regexSubstitution, condition.regexFilter, condition.requestDomains],
      ...[condition.domainType, condition.requestMethods, condition.resourceTypes],
    ]);
  const keysOf = (rules: readonly GateRule[]): string => rules.map(keyOf).sort().join();
  return keysOf(found) === keysOf(wanted);
}

/**
 * Whether a link between these pages may skip the gate because they belong to one site. Which domains registries sell is not known here, so
 * some pages of different sites fit too.
 */
export function maySkipGate(from: string | undefined, to: string): boolean {
  return from !== undefined && siteOf(from) !== null && siteOf(from) === siteOf(to);
}

function siteOf(url: string): string | null {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol.startsWith('http') ? hostname.split('.').slice(-2).join('.') : null;
  } catch {
    return null;
  }
}
