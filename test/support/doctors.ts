import type { Experiment } from '../../src/lab/sandbox/experiment.ts';

const TABLES = `create table doctors (name text primary key, on_call boolean not null);
insert into doctors values ('Alice', true), ('Bob', true);`;

const CHECK = 'select count(*) >= 1 as holds, count(*) as on_call from doctors where on_call';

const leave = (begin: string) => (name: string) =>
  `${begin};
select count(*) from doctors where on_call;
update doctors set on_call = false where name = '${name}'
  and (select count(*) from doctors where on_call) > 1;
commit;`;

const experiment = (begin: string): Experiment => ({
  tables: TABLES,
  sessions: ['Alice', 'Bob'].map(leave(begin)),
  check: CHECK,
});

/** Two doctors are on call. Each doctor's snapshot shows the other on call, so both leave. */
export const DOCTORS = {
  broken: experiment('begin isolation level repeatable read'),
  fixed: experiment('begin isolation level serializable'),
};
