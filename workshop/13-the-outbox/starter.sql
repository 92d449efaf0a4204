-- A worker takes a lease on a task, sends its mail, and finishes the task.
-- A row in outbox (task_id) is a mail. Another program sends it later, exactly once.
update tasks set status = 'running', worker = :worker,
  lease_until = now() + interval '1 minute', attempt = attempt + 1
where id = (
  select id from tasks
  where status <> 'done' and (lease_until is null or lease_until < now())
  order by id limit 1
  for update skip locked)
returning id as task, attempt;

\send :task

update tasks set status = 'done', lease_until = null
where id = :task and attempt = :attempt;
