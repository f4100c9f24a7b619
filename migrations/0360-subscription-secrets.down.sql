alter table pull.subscription drop column secret;
