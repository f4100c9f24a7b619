alter table timeseries.epoch_part drop column slot_seconds, drop column delivery, drop column superseded;
