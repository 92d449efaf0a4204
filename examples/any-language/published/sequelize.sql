create table accounts (id serial primary key, email varchar(255) unique);
