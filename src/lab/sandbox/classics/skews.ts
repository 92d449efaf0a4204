import { both, type Classic } from './classic.ts';

const DOCTORS = `create table doctors (name text primary key, on_call boolean);
insert into doctors values ('Alice', true), ('Bob', true);`;

const goHome = (begin: string) =>
  ['Alice', 'Bob'].map(
    (name) => `${begin};
select count(*) from doctors where on_call;
update doctors set on_call = false where name = '${name}'
  and (select count(*) from doctors where on_call) > 1;
commit;`,
  );

const SOMEBODY = 'select count(*) >= 1, count(*) as on_call from doctors where on_call;';

export const doctorsOnCall: Classic = {
  name: 'doctors-on-call',
  title: 'Write skew: doctors on call',
  story:
    'Two doctors are on call. Each may go home if the other one stays. One doctor must always stay.',
  fault: 'broken',
  broken: {
    tables: DOCTORS,
    sessions: goHome('begin isolation level repeatable read'),
    check: SOMEBODY,
  },
  fixed: {
    tables: DOCTORS,
    sessions: goHome('begin isolation level serializable'),
    check: SOMEBODY,
  },
  lesson:
    'SERIALIZABLE notices that each transaction read what the other changed, and rolls one back.',
};

const MARBLES = `create table marbles (id int primary key, colour text);
insert into marbles values (1, 'black'), (2, 'white');`;

const paint = (begin: string) => [
  `${begin};
update marbles set colour = 'white' where colour = 'black';
commit;`,
  `${begin};
update marbles set colour = 'black' where colour = 'white';
commit;`,
];

const ONE_COLOUR = `select count(distinct colour) = 1, string_agg(colour, ' and ') as colours
from marbles;`;

export const marbles: Classic = {
  name: 'marbles',
  title: 'Write skew: black and white',
  story: 'One program paints all black marbles white. The other paints all white marbles black.',
  fault: 'broken',
  broken: {
    tables: MARBLES,
    sessions: paint('begin isolation level repeatable read'),
    check: ONE_COLOUR,
  },
  fixed: {
    tables: MARBLES,
    sessions: paint('begin isolation level serializable'),
    check: ONE_COLOUR,
  },
  lesson: 'SERIALIZABLE allows only results that some order of the two programs would give.',
};

const ROOM = `create table rooms (id int primary key);
insert into rooms values (1);
create table bookings (room int, hour int, guest int);`;

const book = (lock: string) => (guest: number) =>
  `begin;
${lock}insert into bookings select 1, 9, ${guest}
  where not exists (select from bookings where room = 1 and hour = 9);
commit;`;

const ONE_BOOKING = 'select count(*) = 1, count(*) as bookings from bookings;';

export const phantom: Classic = {
  name: 'phantom',
  title: 'Phantom: a room booked twice',
  story: 'Two guests book the same room at nine, if nobody has booked it.',
  fault: 'broken',
  broken: { tables: ROOM, sessions: both(book('')), check: ONE_BOOKING },
  fixed: {
    tables: ROOM,
    sessions: both(book('select id from rooms where id = 1 for update;\n')),
    check: ONE_BOOKING,
  },
  lesson: 'A row that is not there cannot be locked. So both lock the row of the room first.',
};

const JOB = `create table jobs (id int primary key, capacity int);
insert into jobs values (1, 1);
create table claims (job int, recruiter int);`;

const ONE_CLAIM = 'select count(*) = 1, count(*) as claims from claims;';

export const oldSnapshot: Classic = {
  name: 'old-snapshot',
  title: 'A lock with an old snapshot',
  story: 'One statement locks the job, counts its claims, and inserts. The job has one slot.',
  fault: 'broken',
  broken: {
    tables: JOB,
    sessions: both(
      (recruiter) => `with job as (select id, capacity from jobs where id = 1 for update)
insert into claims select id, ${recruiter} from job
  where (select count(*) from claims) < capacity;`,
    ),
    check: ONE_CLAIM,
  },
  fixed: {
    tables: JOB,
    sessions: both(
      (recruiter) => `begin;
select id, capacity from jobs where id = 1 for update;
insert into claims select id, ${recruiter} from jobs
  where id = 1 and (select count(*) from claims) < capacity;
commit;`,
    ),
    check: ONE_CLAIM,
  },
  lesson:
    'A statement takes its snapshot before it waits. So lock first, and count in the next statement.',
};
