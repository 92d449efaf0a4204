-- The service knows the count of claims, and inserts claims and their events in one statement. This function
-- appends the events of all other claims: those of plain SQL, and those of older servers. It reads the newest
-- event of each job. Did this transaction append that event, for the newest claim of the statement? Then the
-- statement has appended all its events of the job.
CREATE OR REPLACE FUNCTION "append_claim_events"() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
DECLARE open_jobs bigint[];
BEGIN
	open_jobs := ARRAY(
		SELECT job_id FROM changed GROUP BY job_id
		HAVING TG_OP = 'DELETE' OR max(id) IS DISTINCT FROM (
			SELECT CASE WHEN kind = 'claimed' AND xid = pg_current_xact_id() THEN claim_id END
			FROM events WHERE job_id = changed.job_id ORDER BY number DESC LIMIT 1)
	);
	IF open_jobs = '{}' THEN RETURN NULL; END IF;
	PERFORM FROM jobs WHERE id = ANY (open_jobs) ORDER BY id FOR NO KEY UPDATE;
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
		WHERE job_id = ANY (open_jobs)
		WINDOW same_job AS (PARTITION BY job_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
	) AS changed
	CROSS JOIN LATERAL (SELECT company_id, role, capacity FROM jobs WHERE id = changed.job_id LIMIT 1) AS job;
	RETURN NULL;
END $$;
