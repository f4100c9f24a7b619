alter table insights.computed drop column sources;
truncate insights.computed, insights.day;
