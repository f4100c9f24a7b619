-- The triggers that record changes and jobs write tables that no service but their owners may write, and read those of
-- several. They run with the rights of the tables' owner, whichever service's statement fires them.
alter function changes.of_backfill() security definer set search_path = '';
alter function changes.of_backfill_type() security definer set search_path = '';
alter function changes.of_connection() security definer set search_path = '';
alter function changes.of_day() security definer set search_path = '';
alter function changes.of_day_value() security definer set search_path = '';
alter function changes.of_epoch_parts() security definer set search_path = '';
alter function changes.of_intervals() security definer set search_path = '';
alter function changes.of_local_days() security definer set search_path = '';
alter function changes.of_moved_intervals() security definer set search_path = '';
alter function changes.of_pulled_backfill() security definer set search_path = '';
alter function changes.of_pulled_backfill_type() security definer set search_path = '';
alter function changes.of_samples() security definer set search_path = '';
alter function changes.of_series() security definer set search_path = '';
alter function changes.of_sleep() security definer set search_path = '';
alter function changes.of_sync_type() security definer set search_path = '';
alter function changes.of_user() security definer set search_path = '';
alter function changes.of_workout() security definer set search_path = '';
alter function changes.of_workout_detail() security definer set search_path = '';
alter function jobs.enqueue_instead() security definer set search_path = '';
alter function jobs.enqueue_written() security definer set search_path = '';
alter function changes.is_erased(uuid) security definer set search_path = '';
alter function changes.external_id(uuid) security definer set search_path = '';

-- Only the owner of a hypertable may drop its chunks. The service deletes samples through its own role.
create function timeseries.drop_chunks(first timestamptz, beyond timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.drop_chunks('timeseries.sample'::regclass, older_than => beyond, newer_than => first);
end $$;
