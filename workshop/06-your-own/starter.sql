-- A colleague wrote this: "It locks the row, so it is safe." Is it?
select capacity from jobs where id = :job;

select count(*) as taken from job_claims where job_id = :job;

begin;

select id from jobs where id = :job for update;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where :taken < :capacity;

commit;
