import { parse } from '@babel/parser';
import { z } from 'zod';

/** A small fault: the text between two offsets of a file gives way to another. */
export interface Fault {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: string;
  /** Whether the mutation is in the text of a query. Any test that uses the file may detect it. */
  readonly inSql: boolean;
}

type Change = Omit<Fault, 'file'>;

const Node = z.looseObject({ type: z.string(), start: z.int(), end: z.int() });
type Node = z.infer<typeof Node>;

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
};

// What is written for an operator's eyes, or timed: a test that noticed it would test words or the clock.
const unobserved =
  /^(await )?(this\.)?(logger|log|console|metrics?|span|timer|say)\b|\.unref\(|clearTimeout|clearInterval/;

/** The small faults that a file can have, in the order of its text. */
export function faultsIn(file: string, source: string): Fault[] {
  const tree = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const changes: Change[] = [];
  walk(tree.program, (node, parent) => changes.push(...changesAt(node, parent, source)));
  return changes.map((change) => ({ file, ...change })).sort((a, b) => a.start - b.start);
}

function walk(
  value: unknown,
  followRedirect: (node: Node, parent: Node | null) => void,
  parent: Node | null = null,
): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, followRedirect, parent);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = Node.safeParse(value);
  if (!node.success || /^TS|^Import|Comment/.test(node.data.type)) {
    if (node.success && node.data.type === 'TSAsExpression')
      walk(node.data.expression, followRedirect, parent);
    return;
  }
  followRedirect(node.data, parent);
  for (const [name, child] of Object.entries(value))
    if (!/^(loc|leadingComments|trailingComments|innerComments|typeAnnotation|returnType)$/.test(name))
      walk(child, followRedirect, node.data);
}

function changesAt(node: Node, parent: Node | null, source: string): Change[] {
  const text = source.slice(node.start, node.end);
  const put = (kind: string, start: number, end: number, by: string): Change => ({
    kind,
    start,
    end,
    text: by,
    inSql: false,
  });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorChanges(node, source, put);
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = Node.parse(node.test);
      return ['true', 'false'].map((by) => put(`condition is ${by}`, test.start, test.end, by));
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [put('negation removed', node.start, node.start + 1, '')] : [];
    case 'BooleanLiteral':
      return [put('boolean', node.start, node.end, text === 'true' ? 'false' : 'true')];
    case 'ExpressionStatement':
      return unobserved.test(text) || /^'/.test(text)
        ? []
        : [put('statement removed', node.start, node.end, ';')];
    case 'TemplateLiteral':
    case 'StringLiteral':
      return parent?.type === 'ImportDeclaration' ? [] : sqlChanges(text, node.start);
    default:
      return [];
  }
}

type Put = (kind: string, start: number, end: number, by: string) => Change;

function operatorChanges(node: Node, source: string, put: Put): Change[] {
  const operator = String(node.operator);
  const by = operators[operator];
  const [left, right] = [Node.parse(node.left), Node.parse(node.right)];
  const at = source.indexOf(operator, left.end);
  if (by === undefined || at < 0 || at >= right.start) return [];
  return [put(`${operator} becomes ${by}`, at, at + operator.length, by)];
}

const sqlWords = /\b(select|update|delete from|insert into)\b/;

// A condition ends at the next keyword, bracket or line.
const condition =
  /\b(and|where) (?!not exists|exists)([\w.]+ (?:=|<>|<=?|>=?|is not|is|in|like) (?:any ?\([^()]*\)|\([^()]*\)|\$\d+|[\w.:']+))/g;

function sqlChanges(text: string, offset: number): Change[] {
  if (!sqlWords.test(text)) return [];
  const conditions = [...text.matchAll(condition)].map(({ index, 0: whole, 1: word = '', 2: rest = '' }) => ({
    kind: 'SQL condition removed',
    start: offset + index,
    end: offset + index + whole.length,
    // The parameter stays, so that PostgreSQL can infer its type.
    text: `${word} (${rest} or true)`,
    inSql: true,
  }));
  const comparisons = [...text.matchAll(/ (<=|>=|<|>) /g)].map(({ index, 1: sign = '' }) => ({
    kind: `SQL ${sign} becomes ${operators[sign]}`,
    start: offset + index + 1,
    end: offset + index + 1 + sign.length,
    text: operators[sign] ?? sign,
    inSql: true,
  }));
  return [...conditions, ...comparisons];
}
