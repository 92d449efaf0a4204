-- The key, the charge and the receipt are committed together, or not at all.
begin;

insert into keys (key) values (:key)
on conflict do nothing
returning key as first;

insert into charges (key)
select key from keys where key = :first
returning receipt;

update keys set status = 'done', receipt = :receipt
where key = :first;

select receipt from keys where key = :key;

commit;
