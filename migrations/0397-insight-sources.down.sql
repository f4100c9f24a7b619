alter table insights.computed drop column sources;
