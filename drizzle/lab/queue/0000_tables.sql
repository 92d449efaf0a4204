CREATE SCHEMA "lab_queue";
--> statement-breakpoint
CREATE TABLE "lab_queue"."finishes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"task_id" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_queue"."outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"task_id" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_queue"."tasks" (
	"id" integer PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'due' NOT NULL,
	"worker" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone
);
