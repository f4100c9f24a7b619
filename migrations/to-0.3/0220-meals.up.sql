-- The deletion of a meal finds the events of its nutrients by it.
create index other_record_of_meal on timeseries.other_record (user_id, (data ->> 'meal_id')) where type = 'nutrition';
