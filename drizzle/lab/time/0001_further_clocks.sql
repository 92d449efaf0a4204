CREATE FUNCTION "lab_time"."transaction_timestamp"() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT lab_time.now() $$;
--> statement-breakpoint
-- Three keywords of SQL read the clock too. No search_path changes a keyword, so the gate calls these
-- functions in place of the keywords. They have the names of the keywords, and so have the columns of
-- a result.
CREATE FUNCTION "lab_time"."current_timestamp"() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT lab_time.now() $$;
--> statement-breakpoint
CREATE FUNCTION "lab_time"."localtimestamp"() RETURNS timestamp LANGUAGE sql STABLE AS
  $$ SELECT lab_time.now()::timestamp $$;
--> statement-breakpoint
CREATE FUNCTION "lab_time"."current_date"() RETURNS date LANGUAGE sql STABLE AS
  $$ SELECT lab_time.now()::date $$;
