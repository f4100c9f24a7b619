drop table deliveries.reprocess_run;
