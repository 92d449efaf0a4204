/** Drops all schemas but PostgreSQL's own and the explorer's clock. Then creates `public`. */
export const DROP_ALL = `
  do $$
  declare each text;
  begin
    for each in
      select nspname from pg_namespace
      where nspname !~ '^(pg_|lab_time$)' and nspname <> 'information_schema'
    loop
      execute format('drop schema %I cascade', each);
    end loop;
    create schema public;
  end $$`;
