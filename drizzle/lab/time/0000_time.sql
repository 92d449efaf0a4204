-- Functions with the names of PostgreSQL's own. The sessions of the explorer find these functions
-- first, by their search_path. So the code that the explorer plays reads the lab's time, and knows
-- nothing of the lab.
CREATE SCHEMA "lab_time";
--> statement-breakpoint
-- How often time has passed, and when it passed last, in microseconds. A change of a sequence is
-- seen by every session at once, even by a transaction that keeps its snapshot. A table would be seen
-- too late, and would wait for locks.
CREATE SEQUENCE "lab_time"."passes" MINVALUE 0 START 0;
--> statement-breakpoint
CREATE SEQUENCE "lab_time"."passed_at" MINVALUE 0 START 0;
--> statement-breakpoint
-- A time from before the last pass has not seen this pass. So the time of a transaction or a
-- statement stays the same while time passes, as it does in PostgreSQL.
CREATE FUNCTION "lab_time"."ahead"(at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT at + interval '2 days' * (passes.last_value
    - (extract(epoch FROM at) * 1000000 < passed_at.last_value)::int)
  FROM lab_time.passes, lab_time.passed_at
$$;
--> statement-breakpoint
CREATE FUNCTION "lab_time"."now"() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT lab_time.ahead(pg_catalog.now()) $$;
--> statement-breakpoint
CREATE FUNCTION "lab_time"."statement_timestamp"() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT lab_time.ahead(pg_catalog.statement_timestamp()) $$;
--> statement-breakpoint
CREATE FUNCTION "lab_time"."clock_timestamp"() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$ SELECT lab_time.ahead(pg_catalog.clock_timestamp()) $$;
