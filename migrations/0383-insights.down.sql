drop schema insights cascade;
drop function changes.of_insight();
delete from changes.pending where kind = 'insight';
delete from changes.change where type = 'insight.updated';
delete from jobs.job where kind like 'insights.%';
