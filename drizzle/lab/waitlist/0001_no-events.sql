-- The lab compares strategies, and has no events. The triggers of production lock the job to append events. So a
-- strategy without a lock would wait for this lock, and the triggers would help it.
DROP TRIGGER "append_joined" ON "waitlist";--> statement-breakpoint
DROP TRIGGER "append_left" ON "waitlist";--> statement-breakpoint
-- In production, the triggers that append the events of claims also remove the row of an offer that ends. The lab
-- has dropped these triggers. So this trigger removes the row, and locks nothing else.
CREATE FUNCTION "lab_waitlist"."end_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM public.waitlist WHERE claim_id = OLD.id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "end_offer" AFTER DELETE OR UPDATE OF "expires_at" ON "job_claims" FOR EACH ROW EXECUTE FUNCTION "lab_waitlist"."end_offer"();
