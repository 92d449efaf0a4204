CREATE TABLE "lab_queue"."nodes" (
	"name" text PRIMARY KEY NOT NULL,
	"seen_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lab_queue"."permits" (
	"id" integer PRIMARY KEY NOT NULL,
	"free" integer NOT NULL
);
