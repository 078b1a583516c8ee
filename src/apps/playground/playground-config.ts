/** What the page is told when it starts, as `config.json` beside it. Addresses are relative to the page, so that it works below any path. */
export type PlaygroundConfig = RelayConfig | PublishedConfig;

/** A page that a server gives out, which is also its relay. */
export interface RelayConfig {
  readonly kind: 'relay';
  readonly baseUrl: string;
  /** Whether the server takes `actions/block` and `actions/allow`. */
  readonly canAct: boolean;
  readonly examples: readonly Example[];
}

/** A page beside the files of a published list. */
export interface PublishedConfig {
  readonly kind: 'published';
  readonly url: string;
  readonly examples: readonly Example[];
}

/** A text to try, under a short name. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

/** Where the relay is found, below the page. */
export const relayFolder = 'blocklist';

/** Where the actions are found, below the page. */
export const actionsFolder = 'actions';

/** What a page sends for an action. */
export interface ActionRequest {
  readonly content: string;
}

/** Of the embedded service's sample list. Reserved names only, so that nothing here can be somebody's. */
export const sampleExamples: readonly Example[] = [
  { name: 'A page of a listed site', text: 'https://scam-mint.example/claim?ref=1' },
  { name: 'A subdomain of it', text: 'login.scam-mint.example' },
  { name: 'A listed address', text: '0x52908400098527886E0F7030069857D2E4169EE7' },
  { name: 'The same as a payment', text: 'ethereum:0x52908400098527886e0f7030069857d2e4169ee7@1' },
  { name: 'A message', text: 'Claim now: hxxps://claim-airdrop[.]example/now or write to help@wallet-support.test' },
  { name: 'Not listed', text: 'https://example.net/' },
  { name: 'Nothing a list can hold', text: 'http://localhost:3000/' },
  { name: 'A private key', text: `${'00'.repeat(31)}01` },
];
