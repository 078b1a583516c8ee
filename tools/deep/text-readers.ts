import { createRequire } from 'node:module';
import type Anchorme from 'anchorme';
import type Autolink from 'autolinker';
import { find } from 'linkifyjs';
import MarkdownIt from 'markdown-it';
import { marked } from 'marked';

// Required, because each loader unwraps the default exports of CommonJS in its own way.
const require = createRequire(import.meta.url);
const { default: anchorme } = require('anchorme') as typeof Anchorme;
const { default: autolinker } = require('autolinker') as typeof Autolink;

/** What a reader of a text can open: the addresses of its links, as the program writes them. */
export type TextReader = (text: string) => readonly string[];

/** Programs that make links of a plain text. linkify-it is a package of the repository itself. */
export const linkifiers: Readonly<Record<'linkifyjs' | 'autolinker' | 'anchorme', TextReader>> = {
  linkifyjs: (text) => find(text).map(({ href }) => href),
  autolinker: (text) => autolinker.parse(text, { urls: true, email: true, phone: false }).map((match) => match.getAnchorHref()),
  anchorme: (text) => anchorme.list(text).map(({ isEmail, string }) => (isEmail ? `mailto:${string}` : string)),
};

const commonMark = new MarkdownIt({ html: true });
const withLinks = new MarkdownIt({ html: true, linkify: true });

/** Programs that make a page of a text, with and without links for plain addresses. */
export const renderers: Readonly<Record<'commonMark' | 'markdownIt' | 'marked', (text: string) => string>> = {
  commonMark: (text) => commonMark.render(text),
  markdownIt: (text) => withLinks.render(text),
  marked: (text) => marked.parse(text, { async: false }),
};

/** The text with its character references decoded, as on a page. */
export function unescapedReferences(text: string): string {
  return text.replace(/&[#\w]+;/g, commonMark.utils.unescapeAll);
}
