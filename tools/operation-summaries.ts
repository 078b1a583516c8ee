import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

/** The module with the comments of operations, for everything that lists them. */
export function summariesModule(folder: string): string {
  const groups: Record<string, string> = {};
  const operations: Record<string, string[]> = {};
  for (const file of readdirSync(folder).sort()) {
    // A group has the name of its file.
    const group = basename(file, '.ts');
    const source = ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.ES2022, true);
    const statement = source.statements
      .filter(ts.isVariableStatement)
      .find(({ declarationList }) => declarationList.declarations[0]!.name.getText() === group);
    if (statement === undefined) continue;
    groups[group] = commentOf(statement);
    operations[group] = rowsIn(statement).map(commentOf);
  }
  return `/** The comments of operations and their groups, so that each is written once and no client carries it. */

/** By group, in the order of its rows. */
export const operationSummaries: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(operations, null, 1)};

export const groupSummaries: Readonly<Record<string, string>> = ${JSON.stringify(groups, null, 1)};
`;
}

/** The rows of the outermost object. */
function rowsIn(node: ts.Node): ts.PropertyAssignment[] {
  if (ts.isObjectLiteralExpression(node)) return node.properties.filter(ts.isPropertyAssignment);
  const rows: ts.PropertyAssignment[] = [];
  node.forEachChild((child) => void rows.push(...rowsIn(child)));
  return rows;
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  return (ts.getTextOfJSDocComment(comment?.comment) ?? '').replaceAll('\n', ' ');
}
