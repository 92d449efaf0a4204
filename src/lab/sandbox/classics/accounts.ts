import { both, type Classic } from './classic.ts';

/** One account, and a table for the balance that each of the two programs has read. */
const ONE_ACCOUNT = `create table account (balance int);
insert into account values (100);
-- What each program keeps in a variable.
create table memory (session int, balance int);`;

const TWO_ACCOUNTS = `create table accounts (id int primary key, balance int);
insert into accounts values (1, 100), (2, 100);`;

const addTo = (lock: string) => (session: number) =>
  `begin;
insert into memory select ${session}, balance from account${lock};
update account set balance = 10 +
  (select balance from memory where session = ${session});
commit;`;

const ADDED = 'select balance = 120, balance from account;';

export const lostUpdate: Classic = {
  name: 'lost-update',
  title: 'Lost update',
  story: 'Two programs read a balance, add 10 in memory, and write it back. Both must count.',
  fault: 'broken',
  broken: { tables: ONE_ACCOUNT, sessions: both(addTo('')), check: ADDED },
  fixed: { tables: ONE_ACCOUNT, sessions: both(addTo(' for update')), check: ADDED },
  lesson: 'FOR UPDATE locks the row before it is read. The second program reads the new balance.',
};

const NOT_NEGATIVE = 'select balance >= 0, balance from account;';

export const overdraft: Classic = {
  name: 'overdraft',
  title: 'Check, then act',
  story: 'Two programs each look whether the account has 80, and then take 80. It has only 100.',
  fault: 'broken',
  broken: {
    tables: ONE_ACCOUNT,
    sessions: both(
      (session) => `insert into memory select ${session}, balance from account;
update account set balance = balance - 80
  where (select balance from memory where session = ${session}) >= 80;`,
    ),
    check: NOT_NEGATIVE,
  },
  fixed: {
    tables: ONE_ACCOUNT,
    sessions: both(() => 'update account set balance = balance - 80 where balance >= 80;'),
    check: NOT_NEGATIVE,
  },
  lesson:
    'One UPDATE checks and writes. If the UPDATE waits for the row, it checks the new row again.',
};

const readBoth = (begin: string) => `${begin};
insert into report select balance from accounts where id = 1;
insert into report select balance from accounts where id = 2;
commit;`;

const TRANSFER = `begin;
update accounts set balance = balance - 50 where id = 1;
update accounts set balance = balance + 50 where id = 2;
commit;`;

const WITH_REPORT = `${TWO_ACCOUNTS}
create table report (balance int);`;

const SUM_IS_200 = 'select sum(balance) = 200, sum(balance) from report;';

export const readSkew: Classic = {
  name: 'read-skew',
  title: 'Read skew',
  story: 'A report adds up two accounts while money moves between them. The sum is always 200.',
  fault: 'broken',
  broken: { tables: WITH_REPORT, sessions: [readBoth('begin'), TRANSFER], check: SUM_IS_200 },
  fixed: {
    tables: WITH_REPORT,
    sessions: [readBoth('begin isolation level repeatable read'), TRANSFER],
    check: SUM_IS_200,
  },
  lesson: 'With REPEATABLE READ, all statements of a transaction see one snapshot.',
};

const transfer = (first: [number, string], then: [number, string]) => `begin;
update accounts set balance = balance ${first[1]} where id = ${first[0]};
update accounts set balance = balance ${then[1]} where id = ${then[0]};
commit;`;

const NOTHING_LOST = 'select sum(balance) = 200, sum(balance) from accounts;';

export const deadlockByOrder: Classic = {
  name: 'deadlock-by-order',
  title: 'Deadlock by order',
  story: 'One program moves 10 from account 1 to 2. The other program moves 20 from 2 to 1.',
  fault: 'deadlock',
  broken: {
    tables: TWO_ACCOUNTS,
    sessions: [transfer([1, '- 10'], [2, '+ 10']), transfer([2, '- 20'], [1, '+ 20'])],
    check: NOTHING_LOST,
  },
  fixed: {
    tables: TWO_ACCOUNTS,
    sessions: [transfer([1, '- 10'], [2, '+ 10']), transfer([1, '+ 20'], [2, '- 20'])],
    check: NOTHING_LOST,
  },
  lesson: 'Both programs lock the accounts in the same order. So no circle of waits is possible.',
};

const upgrade = (lock: string) => () =>
  `begin;
select balance from accounts where id = 1 for ${lock};
update accounts set balance = balance + 10 where id = 1;
commit;`;

const AT_LEAST_ONE = 'select balance > 100, balance from accounts where id = 1;';

export const deadlockByUpgrade: Classic = {
  name: 'deadlock-by-upgrade',
  title: 'Deadlock by upgrade',
  story: 'Two programs share a lock to read, and then both want to write.',
  fault: 'deadlock',
  broken: { tables: TWO_ACCOUNTS, sessions: both(upgrade('share')), check: AT_LEAST_ONE },
  fixed: { tables: TWO_ACCOUNTS, sessions: both(upgrade('update')), check: AT_LEAST_ONE },
  lesson: 'Each program takes the strong lock at once. The second waits before it has any lock.',
};
