-- The tables of the workshop are in drizzle/lab/ now. They are made in scratch databases only.
DROP TABLE IF EXISTS "lab"."counters", "lab"."leases", "lab"."slots", "lab"."taken_slots", "lab"."time_passed";
--> statement-breakpoint
-- Somebody may have put a table of their own there. Then the schema stays.
DO $$ BEGIN
	DROP SCHEMA IF EXISTS "lab";
EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
END $$;
