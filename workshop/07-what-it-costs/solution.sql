\retry 10

begin isolation level serializable;

select capacity from jobs where id = :job;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where (select count(*) from job_claims where job_id = :job) < :capacity;

commit;
