-- Production inserts the events of its claims itself. The other strategies have no events. So the lab drops
-- them.
CREATE FUNCTION "lab_claims"."drop_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "drop_event" BEFORE INSERT ON "events" FOR EACH ROW EXECUTE FUNCTION "lab_claims"."drop_event"();
