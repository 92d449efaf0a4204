import { both, type Classic } from './classic.ts';

const register = (rest: string) => () =>
  `insert into users select 'ann'
  where not exists (select from users where name = 'ann')${rest};`;

const ONE_ANN = 'select count(*) = 1, count(*) as anns from users;';

export const duplicate: Classic = {
  name: 'duplicate',
  title: 'The same name twice',
  story: 'Two programs register the user ann, if there is no such user.',
  fault: 'broken',
  broken: {
    tables: 'create table users (name text);',
    sessions: both(register('')),
    check: ONE_ANN,
  },
  fixed: {
    tables: 'create table users (name text unique);',
    sessions: both(register('\non conflict do nothing')),
    check: ONE_ANN,
  },
  lesson: 'A unique index sees rows that nobody else can see yet. The second INSERT waits for it.',
};

const TASKS = `create table tasks (id int primary key, worker int);
insert into tasks values (1), (2);
create table work (task int, worker int);`;

const take = (skip: string) => (worker: number) =>
  `with taken as (
  update tasks set worker = ${worker} where id = (
    select id from tasks where worker is null order by id limit 1${skip})
  returning id)
insert into work select id, ${worker} from taken;`;

const EACH_ONCE = `select count(*) = count(distinct task), string_agg(task::text, ', ') as tasks
from work;`;

export const queue: Classic = {
  name: 'queue',
  title: 'One task, two workers',
  story: 'Two workers each take the first task that nobody has. No task may be done twice.',
  fault: 'broken',
  broken: { tables: TASKS, sessions: both(take('')), check: EACH_ONCE },
  fixed: { tables: TASKS, sessions: both(take('\n    for update skip locked')), check: EACH_ONCE },
  lesson: 'FOR UPDATE SKIP LOCKED locks the task that is found, and passes over locked tasks.',
};

const CUSTOMERS = `create table customers (id int primary key);
insert into customers values (1);
create table orders (customer int);`;

const leave = `delete from customers where id = 1
  and not exists (select from orders where customer = 1);`;

const order = (lock: string) => `begin;
insert into orders select id from customers where id = 1${lock};
commit;`;

const NO_ORPHAN = `select count(*) = 0, count(*) as orphans from orders
where customer not in (select id from customers);`;

export const orphan: Classic = {
  name: 'orphan',
  title: 'An order without a customer',
  story: 'One program orders for a customer. The other deletes customers without orders.',
  fault: 'broken',
  broken: { tables: CUSTOMERS, sessions: [order(''), leave], check: NO_ORPHAN },
  fixed: {
    tables: CUSTOMERS.replace('customer int', 'customer int references customers'),
    sessions: [order(''), leave],
    check: NO_ORPHAN,
  },
  lesson: 'A foreign key locks the customer for each order, and checks the newest rows.',
};
