-- The order of sources that the inputs of a user's days were chosen by. With another one they are read anew; so are all days that
-- were computed before this column.
alter table insights.computed add column sources text not null default '';
alter table insights.computed alter column sources drop default;
