-- PostgreSQL compiles a plan (JIT) that costs more than 100,000. The settings of the function before
-- took plans away. The settings held for the trigger `note_unrelayed` too. That trigger reads a table
-- without an index, so its plan cost 10,000,000,000. Each claim took 33 ms.
--
-- A session plans these statements once, perhaps for a large batch. A join could then read all jobs for
-- each later claim, which took 4 ms with 20,000 jobs. A subquery with LIMIT is no join: PostgreSQL
-- looks up each job in the index.
--
-- Without statistics, PostgreSQL expects a 200th of all claims for each job. So the plan for a large
-- batch still looks expensive soon after a bulk load. No rewriting helps, so `jit` is off here. The
-- attribute of the function holds for every session, and a dump contains it.
CREATE OR REPLACE FUNCTION "append_claim_events"() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
	PERFORM FROM jobs WHERE id = ANY (ARRAY(SELECT job_id FROM changed)) ORDER BY id FOR NO KEY UPDATE;
	INSERT INTO events (job_id, company_id, number, kind, claim_id, recruiter_id, expires_at, role, capacity, claimed)
	SELECT job_id, company_id,
		coalesce((SELECT max(number) FROM events WHERE job_id = changed.job_id), 0) + place,
		CASE WHEN TG_OP = 'INSERT' THEN 'claimed' WHEN changed.expires_at <= statement_timestamp() THEN 'expired' ELSE 'released' END,
		changed.id, recruiter_id, expires_at, role, capacity,
		-- The table has all changes of the statement. The later changes are taken back here.
		(SELECT count(*) FROM job_claims WHERE job_id = changed.job_id) + CASE WHEN TG_OP = 'INSERT' THEN place - places ELSE places - place END
	-- Both functions have the same window, so PostgreSQL goes through the rows once.
	FROM (
		SELECT *, row_number() OVER same_job AS place, count(*) OVER same_job AS places FROM changed
		WINDOW same_job AS (PARTITION BY job_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
	) AS changed
	CROSS JOIN LATERAL (SELECT company_id, role, capacity FROM jobs WHERE id = changed.job_id LIMIT 1) AS job;
	RETURN NULL;
END $$;
