-- The first statement locks the job. The second counts its claims, and inserts.
begin;

select capacity from jobs where id = :job for update;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where (select count(*) from job_claims where job_id = :job) < :capacity;

commit;
