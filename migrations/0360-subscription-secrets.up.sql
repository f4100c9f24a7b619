alter table pull.subscription add column secret text;
