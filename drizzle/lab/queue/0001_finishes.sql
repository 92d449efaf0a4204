-- Counts how often each task is finished. The triggers lock nothing that a strategy locks.
CREATE FUNCTION "lab_queue"."count_finish"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lab_queue.finishes (task_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "count_finish" AFTER UPDATE ON "lab_queue"."tasks"
  FOR EACH ROW WHEN (NEW.status = 'done') EXECUTE FUNCTION lab_queue.count_finish();
--> statement-breakpoint
CREATE TRIGGER "count_finish" AFTER UPDATE ON "tasks"
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION lab_queue.count_finish();
