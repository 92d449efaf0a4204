CREATE SCHEMA "lab_retries";
--> statement-breakpoint
CREATE TABLE "lab_retries"."charges" (
	"receipt" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_retries"."keys" (
	"key" text PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"receipt" integer,
	"lease_until" timestamp with time zone
);
