-- Whoever listens on rowlock_jobs hears the id of each job that a commit has changed, on any
-- instance. By triggers, so that no change is forgotten, and once a statement: a batch of claims
-- calls the function once.
CREATE FUNCTION "announce_claims"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('rowlock_jobs', job_id::text) FROM (SELECT DISTINCT job_id FROM changed) AS jobs;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "announce_jobs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('rowlock_jobs', id::text) FROM changed;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "announce_claimed" AFTER INSERT ON "job_claims" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "announce_claims"();
--> statement-breakpoint
CREATE TRIGGER "announce_released" AFTER DELETE ON "job_claims" REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "announce_claims"();
--> statement-breakpoint
CREATE TRIGGER "announce_added" AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "announce_jobs"();
--> statement-breakpoint
CREATE TRIGGER "announce_altered" AFTER UPDATE ON "jobs" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "announce_jobs"();
--> statement-breakpoint
CREATE TRIGGER "announce_removed" AFTER DELETE ON "jobs" REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "announce_jobs"();
