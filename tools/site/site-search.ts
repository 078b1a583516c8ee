/** Words that readers search for and a page does not use, because it has better ones. They are indexed with the first section of the page. */
const readersWords: Readonly<Record<string, string>> = {
  'asset-types': 'Telegram Discord X Instagram YouTube user name account channel group app',
  capacity: 'memory usage RAM bandwidth',
  client: 'API key REST SDK',
  'command-line': 'install npx terminal check a link from a shell',
  extension: 'install block a link block a site phishing page Chrome Firefox Edge Safari manifest',
  fleets: 'cluster several processes',
  light: 'bundle size smaller',
  lists: 'phishing list which list free download',
  'node-service': 'install Express Fastify Hono server readiness health',
  operating: 'monitoring alerts production',
  overview: 'install getting started quick start what is it',
  'own-list': 'create a list my own list',
  privacy: 'what is sent to the server leaves the device tracking telemetry GDPR',
  relay: 'API key secret proxy backend',
  'react-native': 'install Expo iOS Android mobile app',
  'safe-browsing': 'Google',
  'same-list': 'same list for everyone targeted transparency log witness fork',
  security: 'sign a list signature key',
  sync: 'update interval refresh how often offline',
  testing: 'mock without a network unit test',
  tools: 'install MCP Claude agent LLM',
  troubleshooting: 'false positive a good site is blocked not working problem',
  'unseen-questions': 'hide what I ask hide who asks anonymous OHTTP IP',
  verdicts: 'false positive allow a site unblock override policy unknown',
  wallet: 'install check an address check addresses screen an address transaction drainer',
};

/** The page with its readers' words behind its title, as the index takes it. */
export function searchedHtml(relativePath: string, html: string): string {
  const words = readersWords[relativePath.replace(/\.md$/, '')];
  return words === undefined ? html : html.replace('</h1>', `</h1><p>${words}</p>`);
}

/**
 * The options of the search in a page. VitePress passes functions on as their text, so they use nothing from outside.
 *
 * Guides go before tables: a table of 92 types has every word of a question somewhere.
 */
export const searchOptions = {
  boost: { title: 2, text: 2, titles: 1 },
  /** Leaves out words that every page has. */
  processTerm: (term: string): string | null =>
    /^(?:an?|and|as|at|be|by|can|do|does|for|from|how|i|if|in|is|it|me|my|of|on|or|that|the|this|to|we|what|when|where|why|with|you|your)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  boostDocument: (id: string, _term: string, { titles }: { titles: readonly string[] }): number => {
    const isTable = /\/(?:api\/|operations|service-document|tool-server-conformance)/.test(id);
    const isForFew = /\/(?:asset-types|algorithm|formats|addresses|releasing|benchmarks|architecture|contributing)\./.test(id);
    const kind = isTable ? 0.15 : isForFew ? 0.4 : /\/errors\./.test(id) ? 1.3 : 1;
    return kind * (titles.length === 0 ? 3 : 1);
  },
};
