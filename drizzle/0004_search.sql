-- What a search finds by: the words of a text, in lower case, whatever stands between them. By the
-- full-text search that every PostgreSQL has; trigrams would be an extension, which not every account
-- may create. "simple", since roles and names come in any language.
CREATE FUNCTION "words_of"(text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT to_tsvector('pg_catalog.simple', translate($1, '/.-_@:&+#', '         '))
$$;
--> statement-breakpoint
CREATE TABLE "job_words" (
	"job_id" bigint PRIMARY KEY NOT NULL,
	"words" "tsvector" NOT NULL
);
--> statement-breakpoint
CREATE INDEX "companies_name_words_idx" ON "companies" USING gin (words_of("name"));--> statement-breakpoint
CREATE INDEX "recruiters_name_words_idx" ON "recruiters" USING gin (words_of("name"));
--> statement-breakpoint
-- Nobody posts or changes a job until the triggers below exist. Claims go on. The foreign key comes after
-- the rows, because its check of each new row would lock the row of the job until the end.
LOCK TABLE "jobs" IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
INSERT INTO "job_words" SELECT jobs.id, words_of(jobs.role || ' ' || companies.name) FROM "jobs" JOIN "companies" ON companies.id = jobs.company_id;
--> statement-breakpoint
ALTER TABLE "job_words" ADD CONSTRAINT "job_words_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_words_words_idx" ON "job_words" USING gin ("words");--> statement-breakpoint
CREATE FUNCTION "keep_words_of_new_jobs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO job_words SELECT added.id, words_of(added.role || ' ' || companies.name)
	FROM added JOIN companies ON companies.id = added.company_id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "keep_words_of_job"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE job_words SET words = words_of(NEW.role || ' ' || companies.name)
	FROM companies WHERE companies.id = NEW.company_id AND job_id = NEW.id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "keep_words_of_company"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE job_words SET words = words_of(jobs.role || ' ' || NEW.name)
	FROM jobs WHERE jobs.company_id = NEW.id AND job_id = jobs.id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "words_of_new_jobs" AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "keep_words_of_new_jobs"();
--> statement-breakpoint
CREATE TRIGGER "words_of_job" AFTER UPDATE OF role, company_id ON "jobs" FOR EACH ROW EXECUTE FUNCTION "keep_words_of_job"();
--> statement-breakpoint
CREATE TRIGGER "words_of_company" AFTER UPDATE OF name ON "companies" FOR EACH ROW EXECUTE FUNCTION "keep_words_of_company"();
