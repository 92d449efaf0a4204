CREATE TABLE "installation" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"oldest_migration" bigint DEFAULT 0 NOT NULL,
	"identity" text,
	"alive_at" timestamp with time zone,
	"paused_at" timestamp with time zone,
	CONSTRAINT "installation_one_row" CHECK ("installation"."id" = 1)
);
--> statement-breakpoint
INSERT INTO "installation" DEFAULT VALUES;
--> statement-breakpoint
-- Names the cluster, the database and the timeline. A restored database has another identity, and so has
-- a copy that CREATE DATABASE … TEMPLATE made. A failover changes the timeline alone. The checkpoint has
-- the old timeline for a while after a failover, and the name of the WAL file has the new one at once.
CREATE FUNCTION "database_identity"() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
	cluster text := 'unknown';
BEGIN
	-- A managed server may withhold this function.
	IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
		SELECT system_identifier INTO cluster FROM pg_control_system();
	END IF;
	RETURN concat_ws(' ', cluster, (SELECT oid FROM pg_database WHERE datname = current_database()),
		substring(pg_walfile_name(pg_current_wal_insert_lsn()) FROM 1 FOR 8));
END $$;
