import { parseAst } from 'vitest/node';

/** A node of a syntax tree in the ESTree format. `start` and `end` are places in the text. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** A node with the nodes around it, the nearest node first. */
export interface Found {
  node: Node;
  parents: readonly Node[];
}

/** A change of the text between `start` and `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** One way to damage code, such as `drops a statement`. */
export interface Damage {
  name: string;
  editsOf(code: Code): Edit[];
}

/** The code of one file, and the nodes that may be damaged. */
export interface Code {
  text: string;
  nodes: readonly Found[];
}

/** Finds all nodes of these declarations, and of the declarations of the file that they use. */
export function parse(text: string, names: readonly string[]): Code {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const all = listOf(program.body);
  const wanted = [...names];
  const chosen = new Set<Node>();
  for (const name of wanted) {
    const declaration = all.find((each) => namesIn(each).includes(name));
    if (!declaration || chosen.has(declaration)) continue;
    chosen.add(declaration);
    wanted.push(
      ...allNodes(declaration, [])
        .filter(isReference)
        .flatMap(({ node }) => nameOf(node) ?? []),
    );
  }
  const inOrder = all.filter((each) => chosen.has(each));
  return { text, nodes: inOrder.flatMap((each) => allNodes(each, [])) };
}

/** Whether an identifier is no name of a field, such as `status` in `known.status`. */
const isReference = ({ node, parents: [parent] }: Found): boolean =>
  !(parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) &&
  !(parent?.type === 'Property' && parent.key === node && !parent.shorthand);

/** Returns the names that a statement of a module declares. Empty for an import. */
export function namesIn(statement: Node): string[] {
  const declared = (statement.declaration as Node | null | undefined) ?? statement;
  const { declarations, id } = declared;
  const found = declarations ? listOf(declarations).map((each) => each.id) : [id];
  return found.flatMap((each) => (isNode(each) && typeof each.name === 'string' ? each.name : []));
}

function allNodes(node: Node, parents: readonly Node[]): Found[] {
  // Types do not exist at run time.
  if (node.type.startsWith('TS') && !isNode(node.expression)) return [];
  const around = [node, ...parents];
  return [{ node, parents }, ...childrenOf(node).flatMap((child) => allNodes(child, around))];
}

const childrenOf = (node: Node): Node[] =>
  Object.entries(node)
    .filter(([name]) => name !== 'typeAnnotation' && name !== 'typeArguments')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

export const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value : []);

export const sourceOf = (
  { text }: Pick<Code, 'text'>,
  { start, end }: Pick<Node, 'start' | 'end'>,
) => text.slice(start, end);

/** Returns the name of an identifier. Undefined for every other node. */
export const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? (node.name as string) : undefined;

/** Returns the name of the called function or method, such as `for` in `query.for('update')`. */
export function calledName(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee as Node;
  return nameOf(callee.type === 'MemberExpression' ? callee.property : callee);
}

/** Returns all names that the code of a node mentions. */
export function namesUsed(node: Node): Set<string> {
  return new Set(allNodes(node, []).flatMap((each) => nameOf(each.node) ?? []));
}
