-- Keeps the words in step where a company is renamed at the same moment. The company's row is locked
-- FOR SHARE: this waits for a rename that is under way, and a rename that comes meanwhile waits for
-- this; then the next statement of either sees what the other has committed. The KEY SHARE of the
-- foreign key does not do, as a name is no key: the jobs were found by the old name ever after.
CREATE OR REPLACE FUNCTION "keep_words_of_new_jobs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM companies WHERE id IN (SELECT company_id FROM added) ORDER BY id FOR SHARE;
	INSERT INTO job_words SELECT added.id, words_of(added.role || ' ' || companies.name)
	FROM added JOIN companies ON companies.id = added.company_id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "keep_words_of_job"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM companies WHERE id = NEW.company_id FOR SHARE;
	UPDATE job_words SET words = words_of(NEW.role || ' ' || companies.name)
	FROM companies WHERE companies.id = NEW.company_id AND job_id = NEW.id;
	RETURN NULL;
END $$;
