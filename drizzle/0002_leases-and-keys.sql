CREATE INDEX CONCURRENTLY IF NOT EXISTS "job_claims_recruiter_id_id_idx" ON "job_claims" USING btree ("recruiter_id","id");--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" integer NOT NULL,
	"headers" jsonb NOT NULL,
	"body" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_caller_key_pk" PRIMARY KEY("caller","key")
);
--> statement-breakpoint
ALTER TABLE "job_claims" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "job_claims_expires_at_idx" ON "job_claims" USING btree ("expires_at") WHERE "job_claims"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "jobs_company_id_id_idx" ON "jobs" USING btree ("company_id","id");