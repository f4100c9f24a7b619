import type { PlantedFault } from '../planted.ts';
import { forgottenUser } from './forgotten-user.ts';

const row = forgottenUser('services/timeseries', 'test/services/timeseries/tenants.test.ts');

/** Statements of timeseries that read, each without its condition on the user. */
export const tenantsOfReads: readonly PlantedFault[] = [
  row('queries/select-events.ts', 'where user_id = $1 and start_time', 'Lists of events are of one user.'),
  row('queries/select-events.ts', 'where user_id = $1 and id = $2', 'A single event is of the user.'),
  row('queries/select-series.ts', 'where user_id = $1', 'Series are those of the user.'),
  row(
    'workouts/queries/select-heart-rates.ts',
    'series.user_id = $1',
    'The heart rate of a workout is of its user.',
  ),
  row('samples/queries/count-series.ts', 'where s.user_id = $1', 'Samples on a page are of one user.'),
  row('samples/queries/select-own-series.ts', 'user_id = $1', 'A series that is downloaded is of the user.'),
  row(
    'samples/queries/select-span-statistics.ts',
    'where s.user_id = $1',
    'A chart of samples is of one user.',
  ),
  row('samples/queries/select-zones.ts', 'where user_id = $3', 'A known clock is that of the user.'),
  row(
    'removal/queries/select-export.ts',
    "where user_id = $1 ${kind === 'workout'",
    'An export has records of one user.',
  ),
  row(
    'removal/queries/select-export.ts',
    `id = $2 and user_id = $1)
        and ts >`,
    'An export of samples has those of the user.',
  ),
  row('tracks/queries/route-privacy.ts', 'where user_id = $1', 'The privacy of routes is that of the user.'),
  row('tracks/queries/select-segments.ts', 'where user_id = $1', 'Parts of an activity are of its user.'),
  row(
    'tracks/queries/select-tracked-ids.ts',
    'where w.user_id = $1 and d.user_id = $1',
    'An export has tracks of one user.',
  ),
  row(
    'days/queries/select-activity-days.ts',
    'where s.user_id = $1',
    'Days of activity have series of one user.',
  ),
  row(
    'days/queries/select-activity-days.ts',
    'where user_id = $1 and start_time >= $6',
    'Days of activity have workouts of one user.',
  ),
  row(
    'days/queries/select-activity-days.ts',
    `where user_id = $1 and date between $2 and $3
    union select`,
    'Days of activity are days of one user.',
  ),
  row(
    'days/queries/select-activity-days.ts',
    'where user_id = $1 and local_date between',
    'Time without movement is that of one user.',
  ),
  row(
    'days/queries/select-activity-days.ts',
    'where user_id = $1 and date between $2 and $3 and',
    'Days of activity have totals of one user.',
  ),
  row('days/queries/select-body-series.ts', 'where s.user_id = $1', 'The body summary is of one user.'),
  row('days/queries/select-calendar.ts', 'where s.user_id = $1', 'A calendar counts samples of one user.'),
  row('days/queries/select-calendar.ts', 'where user_id = $1', 'A calendar counts records of one user.'),
  row(
    'days/queries/select-day-values.ts',
    'where user_id = $1 and date between',
    'The days of a page of day values are those of one user.',
  ),
  row('days/queries/select-day-values.ts', 'where d.user_id = $1', 'Day values are those of one user.'),
  row(
    'days/queries/select-nights.ts',
    'where user_id = $1 and date between $2 and $3\n  )',
    'The days of a page of nights are those of one user.',
  ),
  row(
    'days/queries/select-nights.ts',
    'where user_id = $1 and date between $2 and $3\n    group',
    'Nights are those of one user.',
  ),
  row('days/queries/select-nights.ts', 'on m.user_id = $1', 'Kept means of a night are those of its user.'),
  row('days/queries/select-pressures.ts', 'where s.user_id = $1', 'Blood pressures are those of one user.'),
  row(
    'days/queries/select-pressures.ts',
    'on d.user_id = s.user_id',
    'Both values of a blood pressure are of one user.',
  ),
  row('days/queries/select-readings.ts', 'where s.user_id = $1', 'Readings are those of one user.'),
  row(
    'days/queries/select-sleep-means.ts',
    `on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select sum(n)`,
    'Means of whole hours of a night are of its user.',
  ),
  row(
    'days/queries/select-sleep-means.ts',
    `on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select count(*)`,
    'Means of the ends of a night are of its user.',
  ),
  row(
    'intervals/queries/select-interval-series.ts',
    'where s.user_id = $1',
    'Series of intervals are those of the user.',
  ),
  row(
    'intervals/queries/select-interval-statistics.ts',
    'where s.user_id = $1',
    'A chart of intervals is of one user.',
  ),
  row(
    'intervals/queries/source-priority.ts',
    'where user_id = $1 order',
    'The order of sources is that of the user.',
  ),
];
