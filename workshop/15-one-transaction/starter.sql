-- Charges the client for a request. A repeat of the request has the same key.
insert into keys (key) values (:key)
on conflict do nothing
returning key as first;

insert into charges (key)
select key from keys where key = :first
returning receipt;

update keys set status = 'done', receipt = :receipt
where key = :first;

select receipt from keys where key = :key;
