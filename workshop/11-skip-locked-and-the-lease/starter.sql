-- A worker marks a due task, sends its mail, and finishes the task.
-- If the worker dies before it finishes the task, nobody takes the task again.
update tasks set status = 'running', worker = :worker
where id = (
  select id from tasks
  where status = 'due'
  order by id limit 1
  for update skip locked)
returning id as task;

\send :task

update tasks set status = 'done'
where id = :task;
