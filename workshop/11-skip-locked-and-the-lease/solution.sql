-- The mark ends by itself after a minute. Then another worker may take the task.
update tasks set status = 'running', worker = :worker,
  lease_until = now() + interval '1 minute'
where id = (
  select id from tasks
  where status <> 'done' and (lease_until is null or lease_until < now())
  order by id limit 1
  for update skip locked)
returning id as task;

\send :task

update tasks set status = 'done', lease_until = null
where id = :task;
