drop schema destinations cascade;
delete from jobs.job where kind like 'destinations.%';
