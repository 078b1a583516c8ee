import { lists } from '../../api/operations/value-lists.js';
import { algorithmDocument } from '../../made/algorithm-document.js';
import { longLists, valuesOf } from './tool-schema.js';
import { guideUri, valueListUri } from './tool-uris.js';

/** A document that a host fetches on demand. */
export interface ToolResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/markdown';
  text(): string;
}

/** provisional: the service's document names these resources, but not their addresses. */
export const toolResources: readonly ToolResource[] = [
  ...[...longLists].map(
    ([name, values]): ToolResource => ({
      uri: valueListUri(name),
      name,
      description: `All ${values.length} values of ${name}`,
      mimeType: 'application/json',
      text: () => JSON.stringify(values),
    }),
  ),
  {
    uri: guideUri('proposal-labels'),
    name: 'proposal-labels',
    description: 'Labels for an approved proposal',
    mimeType: 'text/markdown',
    text: () => guide('Labels of proposals', 'label', 'An approval may say why the asset is blocked', valuesOf(lists.blockLabel)),
  },
  {
    uri: guideUri('reject-reasons'),
    name: 'reject-reasons',
    description: 'Reasons for a rejected proposal, and for one on the watchlist',
    mimeType: 'text/markdown',
    text: () =>
      [
        guide('Reasons to reject', 'rejectReason', 'A rejection says why', valuesOf(lists.rejectReason)),
        guide('Reasons to watch', 'watchlistReason', 'A decision WATCHLIST says why', valuesOf(lists.watchlistReason)),
      ].join('\n'),
  },
  {
    uri: guideUri('algorithm'),
    name: 'algorithm',
    description: 'How a link or an address is canonicalized and hashed, to the byte',
    mimeType: 'text/markdown',
    text: () => algorithmDocument,
  },
];

function guide(title: string, field: string, use: string, values: readonly string[]): string {
  return `# ${title}

${use}: pass one of these as \`${field}\` to organization_proposals_review. The service publishes the values, not what each one means; ask the
user if it is not plain from the case.

${values.map((value) => `* \`${value}\``).join('\n')}
`;
}
