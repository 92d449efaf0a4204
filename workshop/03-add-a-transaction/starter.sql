-- Three statements, and each is a transaction of its own.
-- Put them into one transaction: BEGIN before the first, COMMIT after the last.
select capacity from jobs where id = :job;

select count(*) as taken from job_claims where job_id = :job;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where :taken < :capacity;
