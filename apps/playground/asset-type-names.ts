import { ASSET_TYPES, type AssetType } from 'portcullis';
import {
  adPlatforms,
  documentPlatforms,
  mediaPlatforms,
  messengerPlatforms,
  type PlatformTable,
  packagePlatforms,
  shopPlatforms,
  socialPlatforms,
  storePlatforms,
  web3Platforms,
} from 'portcullis/core';

/** The platforms by kind: their rows, the name of the kind, and what a name alone means on most of them. */
export const platformGroups: readonly (readonly [PlatformTable, title: string, noun: string])[] = [
  [socialPlatforms, 'Social networks', 'user name'],
  [messengerPlatforms, 'Messengers', 'user name'],
  [mediaPlatforms, 'Video, audio, images', 'user name'],
  [storePlatforms, 'App and extension stores', 'app'],
  [shopPlatforms, 'Shops and schools', 'shop'],
  [packagePlatforms, 'Packages', 'package'],
  [documentPlatforms, 'Documents', 'document'],
  [web3Platforms, 'Blockchain profiles and tools', 'profile'],
  [adPlatforms, 'Advertisements', ''],
];

/** Brands that the words of the type would spell wrongly; the noun of the group follows. */
const brands: Partial<Record<AssetType, string>> = {
  APK_GOLD: 'APK Gold',
  BILIBILI_TV: 'Bilibili',
  DEBANK: 'DeBank',
  DESO: 'DeSo',
  DEVIANTART: 'DeviantArt',
  DISCORD_USER: 'Discord',
  FIVE_HUNDRED_PX: '500px',
  F_DROID: 'F-Droid',
  GOOGLE_APP_STORE: 'Google Play',
  LINKEDIN: 'LinkedIn',
  NPM: 'npm',
  OPENSEA: 'OpenSea',
  OPPO_APP_STORE: 'OPPO App Store',
  PYPI: 'PyPI',
  REDNOTE: 'RedNote',
  SMARTMONEYMATCH: 'SmartMoneyMatch',
  SOUNDCLOUD: 'SoundCloud',
  TIKTOK: 'TikTok',
  TWITTER: 'X (Twitter)',
  VIDLII: 'VidLii',
};

/** Where a name alone means something else than in the rest of its group. */
const names: Partial<Record<AssetType, string>> = {
  ADDRESS: 'Crypto address (Bitcoin, Ethereum, …)',
  ARCHIVE_ORG: 'Archived page (archive.org)',
  BASENAME: 'Basename (name.base.eth)',
  CHROME_WEB_STORE: 'Chrome extension',
  DISCORD: 'Discord invitation',
  DOCKER_HUB: 'Docker Hub image',
  EMAIL: 'Email address',
  GITHUB: 'GitHub user or project',
  GOOGLE_FORM: 'Google Form',
  HACKMD: 'HackMD note',
  IPFS: 'IPFS content',
  JOTFORM: 'Jotform form',
  MOZILLA_ADDONS: 'Firefox add-on',
  NGROK: 'ngrok tunnel',
  OPERA_ADDONS: 'Opera add-on',
  PAGE: 'Page of a website',
  PHONE_NUMBER: 'Phone number',
  RUST_PACKAGE: 'Rust package',
  SLACK: 'Slack workspace',
  TAWK_TO: 'tawk.to chat',
  TEACHABLE: 'Teachable school',
  TENDERLY: 'Tenderly page',
  URL: 'Website',
  WHATSAPP: 'WhatsApp number',
  YOUTUBE: 'YouTube channel',
};

export interface NamedType {
  readonly type: AssetType;
  readonly name: string;
  /** The host in its canonical strings; empty for types that are not of a platform. */
  readonly host: string;
}

export interface TypeGroup {
  readonly title: string;
  readonly types: readonly NamedType[];
}

const platformTypes: readonly TypeGroup[] = platformGroups.map(([table, title, noun]) => ({
  title,
  types: table.map(([type, hosts]) => ({ type, name: nameOf(type, noun), host: /[^*~.|\s][^|\s]*/.exec(hosts)![0] })),
}));

const ofPlatforms = new Set(platformTypes.flatMap(({ types }) => types.map(({ type }) => type)));

/** Every asset type once, with a name that people know. */
export const typeGroups: readonly TypeGroup[] = [
  {
    title: 'Links, addresses, contacts',
    types: ASSET_TYPES.filter((type) => !ofPlatforms.has(type)).map((type) => ({ type, name: nameOf(type, ''), host: '' })),
  },
  ...platformTypes,
];

function nameOf(type: AssetType, noun: string): string {
  const brand = brands[type] ?? type.replace(/_/g, ' ').replace(/\B\w/g, (letter) => letter.toLowerCase());
  return names[type] ?? `${brand} ${noun}`.trim();
}

const plain = new Map<string, string>(typeGroups.flatMap(({ types }) => types.map(({ type, name }) => [type, name])));

/** `Telegram user name` for `TELEGRAM`. */
export const plainTypeName = (type: AssetType): string => plain.get(type) ?? type;
