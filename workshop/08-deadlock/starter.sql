-- Inserts the claim first. Then locks the job, and takes the claim back if it is one too many.
begin;

insert into job_claims (job_id, recruiter_id)
values (:job, :recruiter)
returning id as claim;

select capacity from jobs where id = :job for update;

delete from job_claims
where id = :claim
  and (select count(*) from job_claims where job_id = :job) > :capacity;

commit;
