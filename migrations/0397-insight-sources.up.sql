-- The order of sources that the inputs of a user's days were chosen by: with another one they are read anew. Inputs have the numbers of
-- samples of a night from now on, so that all days are computed anew. A process of before leaves the column empty.
truncate insights.computed, insights.day;
alter table insights.computed add column sources text not null default '';
