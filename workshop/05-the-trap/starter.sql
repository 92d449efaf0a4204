-- One statement locks the job, counts its claims, and inserts.
begin;

with job as (select id, capacity from jobs where id = :job for update)
insert into job_claims (job_id, recruiter_id)
select id, :recruiter from job
where (select count(*) from job_claims where job_id = :job) < capacity;

commit;
