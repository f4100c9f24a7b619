drop trigger wipe_details on timeseries.workout;
drop table timeseries.workout_track, timeseries.workout_detail, timeseries.route_privacy;
drop function timeseries.wipe_details(), changes.of_workout_detail();
drop index timeseries.workout_of_parent;
