import { expect, test } from 'vitest';
import type { SqlRules } from '../../../src/lab/chapter.ts';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { readScript } from '../../../src/lab/sql/script.ts';

const ofClaims = claims.sql as SqlRules;
const ofQueue = queue.sql as SqlRules;

test('a script is a list of statements and commands, with their lines', () => {
  const text = `-- a comment
update tasks set status = 'running'
returning id as task;

\\send :Task -- the mail

update tasks set status = 'done' where id = :task;`;
  expect(readScript(text, ofQueue).steps).toMatchObject([
    { kind: 'statement', line: 2, verb: 'update', table: 'tasks' },
    { kind: 'command', name: 'send', of: 'task', line: 5 },
    { kind: 'statement', line: 7, verb: 'update', table: 'tasks' },
  ]);
});

test.each([
  ['select id from jobs for update', 'select', 'jobs'],
  ['select (select count(*) from job_claims) from only jobs', 'select', 'jobs'],
  ['select 1', 'select', ''],
  ['select id from jobs for update skip locked', 'select', ''],
  ['insert into "public"."job_claims" (job_id) values (1)', 'insert', 'job_claims'],
  ['with job as (select 1 from jobs) insert into job_claims select 1', 'insert', 'job_claims'],
  ['delete from job_claims where id in (select 1)', 'delete', 'job_claims'],
  ['update only tasks set id = 1', 'update', 'tasks'],
  ['lock table jobs in exclusive mode', 'other', ''],
  ['select id is distinct from 1 from jobs', 'select', 'jobs'],
  ['(select capacity from jobs)', 'select', 'jobs'],
])('the subject of %s is %s of %s', (text, verb, table) => {
  expect(readScript(text, ofClaims).steps).toMatchObject([{ verb, table }]);
});

test('END and ABORT are COMMIT and ROLLBACK', () => {
  const { steps } = readScript('begin; select 1; END; begin; select 1; abort', ofClaims);
  expect(steps.map((step) => step.kind === 'statement' && step.text)).toEqual([
    'begin',
    'select 1',
    'commit',
    'begin',
    'select 1',
    'rollback',
  ]);
});

test('the command \\retry says how often a script begins', () => {
  expect(readScript('\\retry 10\nselect 1', ofClaims)).toMatchObject({ tries: 10 });
  expect(readScript('select 1', ofClaims)).toMatchObject({ tries: 1 });
});

test.each([
  ['', ofClaims, 'script, line 1: There is no statement. The names are :job and :recruiter.'],
  ['select 1;\ndrop table jobs', ofClaims, 'script, line 2: "drop table" is not allowed here.'],
  ['select 1;\n\ndo $$ $$', ofClaims, 'script, line 3: "do" is not allowed here.'],
  ['savepoint a', ofClaims, 'script, line 1: "savepoint a" is not allowed here.'],
  [
    '\\send :task',
    ofClaims,
    'script, line 1: There is no command \\send. The commands are \\retry.',
  ],
  ['\\retry', ofClaims, 'script, line 1: Write how often, such as \\retry 10. The maximum is 20.'],
  ['\\retry 21', ofClaims, 'script, line 1: Write how often, such as \\retry 10.'],
  ['\\send 1', ofQueue, 'script, line 1: Write a name after the command, such as \\send :task.'],
  ['lock table jobs', ofClaims, 'script, line 1: Write a mode that lets others read'],
  ['lock table jobs in access exclusive mode', ofClaims, 'Write a mode that lets others read'],
  ['select id from jobs where id = $1', ofClaims, 'Write a name such as :job in place of'],
  [
    'with a as (insert into outbox (task_id) values (1) returning id) select id from a',
    ofQueue,
    'script, line 1: Write each INSERT, UPDATE and DELETE as a statement of its own',
  ],
  [
    'with a as (with b as (select 1) insert into outbox (task_id) values (1) returning id) select id from a',
    ofQueue,
    'Write each INSERT, UPDATE and DELETE as a statement of its own',
  ],
  [
    'with a as (select 1) merge into jobs using a on true when matched then delete',
    ofClaims,
    'in place of MERGE',
  ],
  ['merge into jobs using jobs on true when matched then delete', ofClaims, 'in place of MERGE'],
  [
    'select 1;'.repeat(21),
    ofClaims,
    'script, line 1: At most 20 statements and commands are allowed.',
  ],
])('a wrong script gets one line: %s', (text, rules, message) => {
  expect(() => readScript(text, rules)).toThrow(message);
});

test('a long line of spaces after a command is read at once', () => {
  const text = `\\retry a${' '.repeat(2_900)}\u2028x`;
  const began = process.cpuUsage();
  expect(() => readScript(text, ofClaims)).toThrow('Write how often');
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
});
