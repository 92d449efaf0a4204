-- The lab compares strategies. The triggers of production append events under the lock of the job. So a
-- strategy without a lock would wait for this lock, and the triggers would help it.
DROP TRIGGER "append_claimed" ON "job_claims";--> statement-breakpoint
DROP TRIGGER "append_released" ON "job_claims";--> statement-breakpoint
DROP TRIGGER "append_renewed" ON "job_claims";--> statement-breakpoint
DROP TRIGGER "keep_claim_in_place" ON "job_claims";--> statement-breakpoint
DROP TRIGGER "append_posted" ON "jobs";--> statement-breakpoint
DROP TRIGGER "append_changed" ON "jobs";--> statement-breakpoint
DROP TRIGGER "append_removed" ON "jobs";
