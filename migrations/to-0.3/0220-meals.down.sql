drop index timeseries.other_record_of_meal;
