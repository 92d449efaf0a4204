-- The tables of a job board whose programs know the limit of four by heart.
create table jobs (id integer primary key, title text not null);
create table job_claims (
  job_id integer not null references jobs (id),
  recruiter integer not null,
  primary key (job_id, recruiter)
);

-- Three of the four slots are taken before the first step.
insert into jobs values (1, 'Engineer');
insert into job_claims values (1, 101), (1, 102), (1, 103);
