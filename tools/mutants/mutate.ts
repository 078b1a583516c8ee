import { createHash } from 'node:crypto';
import ts from 'typescript';

/** One small change of one file. */
export interface Mutant {
  /** Stays the same while the file and the change do. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '<<': '>>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
  '+=': '-=',
  '-=': '+=',
  '|=': '&=',
  '&=': '|=',
};

/** The arguments of these calls are mostly messages, which tests pin only in part. */
const messageCalls = /^(refuse|invalid|PortcullisError|TypeError|RangeError|Error)$/;

/** Every mutant of a file: operators, conditions, literals, returned values and removed statements, one change each. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, after: string): void => {
    const start = node.getStart(source);
    const before = text.slice(start, node.end);
    if (before === after) return;
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const id = createHash('sha1').update(`${file}\0${text}\0${start}\0${node.end}\0${after}`).digest('hex').slice(0, 16);
    found.push({ id, file, line, start, end: node.end, before, after });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isMessage(node)) return;
    mutate(node, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export function applied(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}

function isMessage(node: ts.Node): boolean {
  const { parent } = node;
  if (!(ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node))) return false;
  if (!(ts.isCallExpression(parent) || ts.isNewExpression(parent))) return false;
  return ts.isIdentifier(parent.expression) && messageCalls.test(parent.expression.text);
}

function mutate(node: ts.Node, add: (node: ts.Node, after: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const operator = operators[node.operatorToken.getText()];
    if (operator !== undefined) add(node.operatorToken, operator);
  } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition;
    add(condition, 'true');
    add(condition, 'false');
  } else if (ts.isWhileStatement(node)) {
    add(node.expression, 'false');
  } else if (ts.isForStatement(node) && node.condition !== undefined) {
    add(node.condition, 'false');
  } else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    mutateUnary(node, add);
  } else if (ts.isNumericLiteral(node)) {
    add(node, String(Number(node.text.replaceAll('_', '')) + 1));
  } else if (ts.isStringLiteral(node) && !ts.isPropertyName(node.parent)) {
    add(node, node.text === '' ? "'x'" : "''");
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
    add(node, 'false');
  } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
    add(node, 'true');
  } else if (ts.isReturnStatement(node) && node.expression !== undefined) {
    if (!/^(undefined|null|true|false)$/.test(node.expression.getText())) add(node.expression, 'undefined');
  } else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isContinueStatement(node)) {
    add(node, ';');
  } else if (ts.isBreakStatement(node) && !ts.isCaseOrDefaultClause(node.parent)) {
    add(node, ';');
  }
}

function mutateUnary(
  node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
  add: (node: ts.Node, after: string) => void,
): void {
  const operand = node.operand.getText();
  if (node.operator === ts.SyntaxKind.PlusPlusToken) add(node, `${operand}--`);
  else if (node.operator === ts.SyntaxKind.MinusMinusToken) add(node, `${operand}++`);
  else add(node, operand);
}
