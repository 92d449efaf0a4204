-- Counts how often the end of each task is written. The triggers lock nothing that a strategy locks.
CREATE FUNCTION "lab_queue"."count_finish"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lab_queue.finishes (task_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_finish" AFTER UPDATE OF "status" ON "lab_queue"."tasks"
  FOR EACH ROW WHEN (NEW.status IN ('done', 'failed')) EXECUTE FUNCTION lab_queue.count_finish();
--> statement-breakpoint
CREATE TRIGGER "count_finish" AFTER UPDATE OF "finished_at" ON "tasks"
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION lab_queue.count_finish();
