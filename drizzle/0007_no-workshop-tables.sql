-- The tables of the workshop are in drizzle/lab/ now. They are made in scratch databases only.
--
-- To drop a table with a foreign key to jobs takes a lock on jobs that everybody waits for.

-- Somebody may have made a view of such a table, or a table of their own in the schema. These stay.
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['counters', 'leases', 'slots', 'taken_slots', 'time_passed'] LOOP
		BEGIN
			EXECUTE format('DROP TABLE IF EXISTS lab.%I', name);
		EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
		END;
	END LOOP;
	BEGIN
		DROP SCHEMA IF EXISTS lab;
	EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
	END;
END $$;
