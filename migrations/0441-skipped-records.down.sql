alter table pull.run_type drop column skipped;
