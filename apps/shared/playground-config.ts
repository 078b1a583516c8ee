/** The content of `config.json`, which the page reads when it starts. Its URLs are relative, so that the page works below any path. */
export type PlaygroundConfig = RelayConfig | PublishedConfig;

/** A page whose server is also its relay. */
export interface RelayConfig {
  readonly kind: 'relay';
  readonly baseUrl: string;
  /** Whether the server accepts `actions/block` and `actions/allow`. */
  readonly canAct: boolean;
  readonly examples: readonly Example[];
}

/** A page beside the files of a published list. */
export interface PublishedConfig {
  readonly kind: 'published';
  readonly url: string;
  readonly examples: readonly Example[];
}

/** A text to try, shown as a button with a short name. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

/** Path of the relay, relative to the page. */
export const relayFolder = 'blocklist';

/** Path of the actions, relative to the page. */
export const actionsFolder = 'actions';

/** The body of an action's request. */
export interface ActionRequest {
  readonly content: string;
}

/** Match the embedded service's sample list. The page shows four at first. Reserved names only, so that none belongs to a real site. */
export const sampleExamples: readonly Example[] = [
  { name: 'A listed link', text: 'https://scam-mint.example/claim?ref=1' },
  { name: 'A listed address', text: '0x52908400098527886E0F7030069857D2E4169EE7' },
  { name: 'A message', text: 'Claim now: hxxps://claim-airdrop[.]example/now or write to help@wallet-support.example' },
  { name: 'Not listed', text: 'https://example.net/' },
  { name: 'A subdomain of a listed site', text: 'login.scam-mint.example' },
  { name: 'A payment link', text: 'ethereum:0x52908400098527886e0f7030069857d2e4169ee7@1' },
  { name: 'A look-alike', text: 'https://sc\u0430m-mint.example/' },
  { name: 'Not listable', text: 'http://localhost:3000/' },
  { name: 'A private key', text: `${'00'.repeat(31)}01` },
];
