-- No lock. PostgreSQL searches for conflicts, and lets one of two transactions fail.
-- Then the script ends with an error. The command \retry 10 would let it begin again.
begin isolation level serializable;

select capacity from jobs where id = :job;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where (select count(*) from job_claims where job_id = :job) < :capacity;

commit;
