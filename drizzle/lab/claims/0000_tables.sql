CREATE SCHEMA "lab_claims";
--> statement-breakpoint
CREATE TABLE "lab_claims"."counters" (
	"job_id" bigint PRIMARY KEY NOT NULL,
	"capacity" integer NOT NULL,
	"claimed" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_claims"."leases" (
	"job_id" bigint PRIMARY KEY NOT NULL,
	"holder" bigint,
	"expires_at" timestamp with time zone DEFAULT now() NOT NULL,
	"token" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_claims"."slots" (
	"job_id" bigint NOT NULL,
	"slot" integer NOT NULL,
	"recruiter_id" bigint,
	CONSTRAINT "slots_job_id_slot_pk" PRIMARY KEY("job_id","slot")
);
--> statement-breakpoint
CREATE TABLE "lab_claims"."taken_slots" (
	"job_id" bigint NOT NULL,
	"slot" integer NOT NULL,
	"recruiter_id" bigint NOT NULL,
	CONSTRAINT "taken_slots_job_id_slot_pk" PRIMARY KEY("job_id","slot")
);
--> statement-breakpoint
CREATE TABLE "lab_claims"."time_passed" (
	"ahead" interval NOT NULL
);
--> statement-breakpoint
ALTER TABLE "lab_claims"."counters" ADD CONSTRAINT "counters_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_claims"."leases" ADD CONSTRAINT "leases_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_claims"."slots" ADD CONSTRAINT "slots_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lab_claims"."taken_slots" ADD CONSTRAINT "taken_slots_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;