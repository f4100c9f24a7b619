drop table users.erased_account;
