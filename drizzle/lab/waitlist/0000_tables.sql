CREATE SCHEMA "lab_waitlist";
--> statement-breakpoint
CREATE TABLE "lab_waitlist"."waitlist" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"job_id" bigint NOT NULL,
	"recruiter_id" bigint NOT NULL
);
