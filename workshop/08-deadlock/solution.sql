-- The strong lock comes first. So a recruiter who waits holds no lock on the job.
begin;

select capacity from jobs where id = :job for update;

insert into job_claims (job_id, recruiter_id)
values (:job, :recruiter)
returning id as claim;

delete from job_claims
where id = :claim
  and (select count(*) from job_claims where job_id = :job) > :capacity;

commit;
