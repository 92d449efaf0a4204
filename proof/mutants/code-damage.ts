import {
  type Code,
  calledName,
  type Damage,
  type Edit,
  type Found,
  isNode,
  listOf,
  type Node,
  nameOf,
  namesIn,
  namesUsed,
  sourceOf,
} from './syntax.ts';

/** Makes a damage from a function that finds the edits at one node. */
const at = (name: string, find: (found: Found, code: Code) => Edit[]): Damage => ({
  name,
  editsOf: (code) => code.nodes.flatMap((found) => find(found, code)),
});

const replace = ({ start, end }: Node, text: string): Edit => ({ start, end, text });

const drop = (node: Node): Edit => replace(node, '');

/** Cuts the method call at the end of a chain, such as `.limit(1)` in `query.limit(1)`. */
const cutCall = (node: Node): Edit => ({
  start: ((node.callee as Node).object as Node).end,
  end: node.end,
  text: '',
});

const isMethod = (node: Node, name: string): boolean =>
  calledName(node) === name && (node.callee as Node).type === 'MemberExpression';

const dropsStatement = at('drops a statement', ({ node, parents }) =>
  (node.type === 'ExpressionStatement' || (node.type === 'IfStatement' && !node.alternate)) &&
  parents[0]?.type === 'BlockStatement'
    ? [drop(node)]
    : [],
);

const ENDS = ['ReturnStatement', 'ThrowStatement'];

const swapsStatements = at('swaps two statements', ({ node }, code) => {
  if (node.type !== 'BlockStatement') return [];
  const statements = listOf(node.body);
  return statements.flatMap((second, index) => {
    const first = statements[index - 1];
    if (!first || ENDS.includes(first.type) || ENDS.includes(second.type)) return [];
    const used = namesUsed(second);
    if (namesIn(first).some((name) => used.has(name)) || hasPatternOf(first, used)) return [];
    if (![first, second].some((each) => sourceOf(code, each).includes('await '))) return [];
    const text = `${sourceOf(code, second)} ${sourceOf(code, first)}`;
    return [{ start: first.start, end: second.end, text }];
  });
});

/** Whether a declaration such as `const [job] = …` declares one of the names. */
const hasPatternOf = (statement: Node, used: ReadonlySet<string>): boolean =>
  listOf(statement.declarations).some(
    ({ id }) => isNode(id) && [...namesUsed(id)].some((name) => used.has(name)),
  );

const dropsAwait = at('forgets an await', ({ node }, code) =>
  node.type === 'AwaitExpression' ? [replace(node, sourceOf(code, node.argument as Node))] : [],
);

/** The lock modes of a row, the strongest first. */
const LOCK_MODES = ['update', 'no key update', 'share', 'key share'];

export const weakerThan = (mode: string): string[] =>
  LOCK_MODES.slice(LOCK_MODES.indexOf(mode) + 1);

const weakensLock = at('weakens a row lock', ({ node }) => {
  if (!isMethod(node, 'for')) return [];
  const [mode] = listOf(node.arguments);
  if (!mode) return [];
  const weaker = weakerThan(`${mode.value}`).map((each) => replace(mode, `'${each}'`));
  return [cutCall(node), ...weaker];
});

const changesWaiting = at('changes what happens at a locked row', ({ node }) => {
  if (!isMethod(node, 'for')) return [];
  const [mode, options] = listOf(node.arguments);
  if (!mode) return [];
  if (options) return [{ start: mode.end, end: options.end, text: '' }];
  return ['skipLocked', 'noWait'].map((option) => ({
    ...{ start: mode.end, end: mode.end },
    text: `, { ${option}: true }`,
  }));
});

/** Names of fields and variables that hold different values of the same type. */
const OTHER: Readonly<Record<string, string>> = {
  jobId: 'recruiterId',
  recruiterId: 'jobId',
  claimed: 'capacity',
  capacity: 'claimed',
};

const isRead = ({ node, parents: [parent] }: Found): boolean =>
  parent !== undefined &&
  !(parent.type === 'Property' && parent.key === node && parent.value !== node) &&
  ['CallExpression', 'TemplateLiteral', 'BinaryExpression', 'Property'].includes(parent.type);

const takesOther = at('takes another field', (found) => {
  const { node, parents } = found;
  if (!isRead(found)) return [];
  const property = node.type === 'MemberExpression' ? (node.property as Node) : node;
  const other = OTHER[nameOf(property) ?? ''];
  // A pattern such as `{ jobId }` declares the name.
  if (!other || parents[1]?.type === 'ObjectPattern') return [];
  const [parent] = parents;
  if (parent?.type === 'Property' && parent.shorthand)
    return [replace(parent, `${nameOf(node)}: ${other}`)];
  return [replace(property, other)];
});

const takesConstant = at('takes a constant for a field', (found) => {
  const { node } = found;
  if (node.type !== 'MemberExpression' || !isRead(found)) return [];
  const name = nameOf(node.property) ?? '';
  const constant = { capacity: '4', jobId: '1n', recruiterId: '1n' }[name];
  return constant && namesUsed(node).size > 1 ? [replace(node, constant)] : [];
});

const dropsCondition = at('drops a condition', ({ node }, code) => {
  if (isMethod(node, 'where')) return [cutCall(node)];
  if (node.type === 'LogicalExpression' && node.operator !== '??')
    return [node.left, node.right].map((side) => replace(node, sourceOf(code, side as Node)));
  if (!['and', 'or'].includes(calledName(node) ?? '')) return [];
  const all = listOf(node.arguments);
  return all.map((dropped) =>
    replace(
      node,
      `${calledName(node)}(${listed(
        code,
        all.filter((each) => each !== dropped),
      )})`,
    ),
  );
});

const listed = (code: Code, nodes: Node[]) => nodes.map((each) => sourceOf(code, each)).join(', ');

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

const changesComparison = at('changes a comparison', ({ node }, code) => {
  const other = COMPARISONS[`${node.operator}`];
  if (node.type !== 'BinaryExpression' || !other) return [];
  const [left, right] = [node.left, node.right].map((side) => sourceOf(code, side as Node));
  return [replace(node, `${left} ${other} ${right}`)];
});

const changesNumber = at('changes a number', ({ node, parents: [parent] }) => {
  if (node.type !== 'Literal' || typeof node.value !== 'number' || !parent) return [];
  const isCounted = parent.type === 'BinaryExpression' || calledName(parent) === 'limit';
  return isCounted ? [replace(node, `${node.value + 1}`)] : [];
});

const takesOtherBranch = at('takes the other branch', ({ node }, code) => {
  if (node.type !== 'IfStatement') return [];
  const test = node.test as Node;
  if (test.type === 'UnaryExpression' && test.operator === '!')
    return [replace(test, sourceOf(code, test.argument as Node))];
  // `changesComparison` turns these comparisons into their opposites.
  const isEquality = ['===', '!=='].includes(`${test.operator}`);
  return isEquality ? [] : [replace(test, `!(${sourceOf(code, test)})`)];
});

const leavesTransaction = at('moves a statement out of the transaction', ({ node, parents }) => {
  const call = parents.find((each) => isMethod(each, 'transaction'));
  const parameter = call && nameOf(listOf(listOf(call.arguments)[0]?.params)[0]);
  if (!call || parameter === undefined || nameOf(node) !== parameter) return [];
  const outer = nameOf((call.callee as Node).object);
  const isDeclaration = parents[0]?.type === 'ArrowFunctionExpression';
  return outer === undefined || isDeclaration ? [] : [replace(node, outer)];
});

const ISOLATION_LEVELS = ['repeatable read', 'serializable'];

const changesTransaction = at('changes the transaction', ({ node }, code) => {
  if (!isMethod(node, 'transaction')) return [];
  const [work, options] = listOf(node.arguments);
  const outer = (node.callee as Node).object as Node;
  if (!work) return [];
  const without = replace(node, `(${sourceOf(code, work)})(${sourceOf(code, outer)})`);
  const given = options ? sourceOf(code, options) : '';
  const levels = ISOLATION_LEVELS.filter((level) => !given.includes(level)).map(
    (level) => `, { isolationLevel: '${level}' }`,
  );
  const others = [...levels, ...(options ? [''] : [])].map((text) => ({
    ...{ start: work.end, end: options?.end ?? work.end },
    text,
  }));
  return [without, ...others];
});

/** Other kinds of answers, by the kind. */
const OTHER_KINDS: Readonly<Record<string, readonly string[]>> = {
  claimed: ['duplicate', 'busy'],
  full: ['busy', 'duplicate'],
  busy: ['full', 'unknown'],
  'no-such-job': ['full', 'busy'],
  granted: ['full'],
  duplicate: ['full'],
  done: ['lost', 'running', 'idle'],
  lost: ['done', 'idle'],
  idle: ['done', 'lost'],
  running: ['done'],
};

const answersOther = at('answers something else', ({ node, parents: [parent] }) => {
  if (node.type === 'ReturnStatement' && nameOf(node.argument) !== undefined)
    return ['decision', 'refusal', 'after'].includes(nameOf(node.argument) ?? '')
      ? [replace(node.argument as Node, "{ kind: 'busy' }")]
      : [];
  const key = parent?.type === 'Property' && nameOf(parent.key);
  if (key !== 'kind' || node.type !== 'Literal' || parent?.value !== node) return [];
  return (OTHER_KINDS[`${node.value}`] ?? []).map((kind) => replace(node, `'${kind}'`));
});

const retriesAlways = at('repeats after every error', ({ node }) => {
  const [isConflict] = listOf(node.arguments);
  return calledName(node) === 'retryOn' && isConflict ? [replace(isConflict, '() => true')] : [];
});

/** The answers to every error, by the name of the strategy's function. */
const AFTER_ERROR: Readonly<Record<string, readonly string[]>> = {
  claim: [
    "{ kind: 'full', slots: { capacity: 4, claimed: 4, remaining: 0 } }",
    "{ kind: 'duplicate' }",
  ],
  work: ["{ kind: 'done' }", "{ kind: 'idle' }", "{ kind: 'lost' }"],
  handle: ["{ kind: 'done', receipt: null }", "{ kind: 'running' }"],
};

const catchesEverything = at('answers after every error', ({ node }, code) => {
  const isFunction =
    node.type === 'Property' && `${(node.value as Node).type}`.includes('Function');
  const name = isFunction ? (nameOf(node.key) ?? '') : '';
  const own = `{ ${sourceOf(code, node)} }`;
  return (AFTER_ERROR[name] ?? []).map((answer) =>
    replace(node, `${name}: (...args) => (${own}).${name}(...args).catch(() => (${answer}))`),
  );
});

const DROPPED_CALLS = ['orderBy', 'limit', 'onConflictDoNothing', 'catch'];

const dropsCall = at('drops a call of a chain', ({ node }) =>
  DROPPED_CALLS.some((name) => isMethod(node, name)) ? [cutCall(node)] : [],
);

/** All damages of TypeScript code. */
export const ofCode: readonly Damage[] = [
  dropsStatement,
  swapsStatements,
  dropsAwait,
  weakensLock,
  changesWaiting,
  takesOther,
  takesConstant,
  dropsCondition,
  changesComparison,
  changesNumber,
  takesOtherBranch,
  leavesTransaction,
  changesTransaction,
  answersOther,
  retriesAlways,
  catchesEverything,
  dropsCall,
];
