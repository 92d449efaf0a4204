begin;

select capacity from jobs where id = :job;

select count(*) as taken from job_claims where job_id = :job;

insert into job_claims (job_id, recruiter_id)
select :job, :recruiter
where :taken < :capacity;

commit;
