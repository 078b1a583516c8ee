/** Firefox 140 is the first that shows users which data an extension sends. */
const firstWithConsent = 140;

/**
 * What the stores would refuse, as sentences. The rules are those of the pages "Manifest file format" and "Supplying images" of Chrome
 * (https://developer.chrome.com/docs/extensions/reference/manifest, https://developer.chrome.com/docs/webstore/images) and of Mozilla's
 * "Add-on policies" (https://extensionworkshop.com/documentation/publish/add-on-policies/).
 *
 * @param files names and bytes of the package
 */
export function storeProblems(files) {
  const json = (name) => JSON.parse(Buffer.from(files.get(name) ?? '{}').toString());
  const manifest = json('manifest.json');
  return [
    ...(manifest.manifest_version === 3 ? [] : ['manifest_version must be 3']),
    ...textProblems(manifest, [...files.keys()], json),
    ...(isVersion(manifest.version) ? [] : [`version ${manifest.version} must be one to four numbers up to 65535, with dots`]),
    ...iconProblems(manifest, files),
    ...[...namedFiles(manifest), ...namedScripts(files)].flatMap((name) =>
      files.has(name) ? [] : [`${name} is not in the package`],
    ),
    ...[...files.keys()].flatMap((name) => (name.endsWith('.map') ? [`${name} does not belong into the package`] : [])),
    ...policyProblems(manifest),
    ...('browser_specific_settings' in manifest ? firefoxProblems(manifest) : chromeProblems(manifest)),
  ];
}

const maxLengths = { name: 75, description: 132 };

function textProblems(manifest, names, json) {
  const locales = names.flatMap((name) => /^_locales\/([^/]+)\/messages\.json$/.exec(name)?.[1] ?? []);
  if (locales.length > 0 && !locales.includes(manifest.default_locale))
    return [`_locales has no folder for default_locale, ${manifest.default_locale}`];
  return (locales.length === 0 ? [null] : locales).flatMap((locale) => {
    const messages = locale === null ? {} : json(`_locales/${locale}/messages.json`);
    const shown = (text = '') => text.replace(/__MSG_(\w+)__/g, (_, key) => messages[key]?.message ?? '');
    return Object.entries(maxLengths).flatMap(([field, max]) => {
      const { length } = shown(manifest[field]);
      return length > 0 && length <= max
        ? []
        : [`${field}${locale === null ? '' : ` in ${locale}`} has ${length} characters; it needs 1 to ${max}`];
    });
  });
}

function isVersion(version) {
  const numbers = typeof version === 'string' ? version.split('.') : [];
  return numbers.length >= 1 && numbers.length <= 4 && numbers.every((text) => /^(0|[1-9]\d{0,4})$/.test(text) && text <= 65_535);
}

const pngStart = '89504e470d0a1a0a';

function iconProblems({ icons = {}, action = {} }, files) {
  const missing = ['16', '48', '128'].filter((size) => !(size in icons)).map((size) => `an icon of ${size} pixels is missing`);
  const all = [icons, action.default_icon ?? {}].flatMap((sizes) => Object.entries(sizes));
  const wrong = all.flatMap(([size, name]) => {
    const bytes = Buffer.from(files.get(name) ?? []);
    const isPng = bytes.length > 24 && bytes.toString('hex', 0, 8) === pngStart;
    const isSize = isPng && bytes.readUInt32BE(16) === Number(size) && bytes.readUInt32BE(20) === Number(size);
    return isSize ? [] : [`${name} must be a PNG of ${size} by ${size} pixels`];
  });
  return [...missing, ...wrong];
}

/** Files that the manifest names; icons are looked at by themselves. */
function namedFiles({ background = {}, action = {}, options_ui, storage, web_accessible_resources = [] }) {
  const names = [
    background.service_worker,
    ...(background.scripts ?? []),
    action.default_popup,
    options_ui?.page,
    storage?.managed_schema,
    ...web_accessible_resources.flatMap(({ resources }) => resources),
  ];
  return names.filter((name) => name !== undefined);
}

/** What the pages load. A script from elsewhere would be remote code, and is in no package. */
function namedScripts(files) {
  return [...files].flatMap(([name, bytes]) =>
    name.endsWith('.html')
      ? [
          ...Buffer.from(bytes)
            .toString()
            .matchAll(/\ssrc="([^"]*)"/g),
        ].map(([, source]) => source)
      : [],
  );
}

/** Both stores forbid remote code, and Chrome loads no extension that allows it. */
function policyProblems({ content_security_policy }) {
  const policy = content_security_policy?.extension_pages ?? "script-src 'self'";
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/));
  const [, ...sources] =
    directives.find(([name]) => name === 'script-src') ?? directives.find(([name]) => name === 'default-src') ?? [];
  const allowed = ["'self'", "'none'", "'wasm-unsafe-eval'"];
  if (sources.length === 0) return ['the content security policy says nothing about scripts'];
  return sources
    .filter((source) => !allowed.includes(source))
    .map((source) => `the content security policy allows scripts of ${source}`);
}

function chromeProblems({ minimum_chrome_version }) {
  return isVersion(minimum_chrome_version) ? [] : ['minimum_chrome_version is missing'];
}

function firefoxProblems({ browser_specific_settings: { gecko = {} } }) {
  const { id = '', strict_min_version = '', data_collection_permissions: data } = gecko;
  return [
    ...(/^[\w.-]*@[\w.-]+$/.test(id) && id.length <= 80 ? [] : [`the add-on's ID ${id} must look like name@example.org`]),
    ...(data?.required?.length > 0 ? [] : ['data_collection_permissions is missing: Mozilla takes no new add-on without it']),
    ...(Number.parseInt(strict_min_version, 10) >= firstWithConsent
      ? []
      : [`strict_min_version must be ${firstWithConsent}.0 or more, or the add-on must ask for consent itself`]),
  ];
}
