import type { PlantedFault } from '../planted.ts';
import { forgottenUser } from './forgotten-user.ts';

const row = forgottenUser('services/timeseries', 'test/services/timeseries/tenants.test.ts');
const unclaimed = 'test/services/timeseries/unclaimed-samples.test.ts';
const queries = 'test/services/timeseries/tenant-queries.test.ts';
const scores = 'test/services/timeseries/scores.test.ts';
const records = 'records/queries';
const workouts = 'workouts/queries';
const unlisted = `${records}/delete-unlisted.ts`;

/** Statements of timeseries that store, change and delete, each without its condition on the user. */
export const tenantsOfWrites: readonly PlantedFault[] = [
  row(
    'queries/activity-blocks.ts',
    'where b.user_id = $1 and b.provider = $2 and b.key = any($4)',
    'A new version of an activity replaces the blocks of its user only.',
  ),
  row(
    'queries/activity-blocks.ts',
    "'b.user_id = $1 and b.provider = $2 and b.key = any($3)'",
    'Blocks are deleted and hidden for the user of the activity only.',
  ),
  row('queries/select-clock.ts', 'where user_id = $1', 'The clock is that of the user.'),
  row('queries/select-local-days.ts', 'where user_id = $1', 'Local days are those of the user.'),
  row(unlisted, 'where s.user_id = $1', 'A span that is read again loses samples of its user only.'),
  row(
    unlisted,
    'delete from timeseries.sleep_session where user_id = $1',
    'A span that is read again loses sleep of its user only.',
  ),
  row(
    unlisted,
    `delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
    select count(*)::int as n from gone\`,
};

/** Deletes the sleep`,
    'Items of sleep that is gone are forgotten for its user only.',
  ),
  row(
    unlisted,
    'delete from timeseries.workout where user_id = $1',
    'A span that is read again loses workouts of its user only.',
  ),
  row(
    unlisted,
    `delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
    select key, start_ms`,
    'Items of workouts that are gone are forgotten for their user only.',
  ),
  row(
    unlisted,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    'delete from timeseries.${table} x where user_id = $1',
    'A span that is read again loses days, their values, events and scores of its user only.',
  ),
  row(
    unlisted,
    `delete from timeseries.item where user_id = $1 and provider = $2 and data_type = $6 and key in (select key from gone))
    select count(*)::int as n from gone\`,
});`,
    'Items of days, events and scores that are gone are forgotten for their user only.',
  ),
  row(`${records}/select-day.ts`, 'where user_id = $1', 'A daily record replaces one of its user.'),
  row(`${records}/select-items.ts`, 'i.user_id = $1', 'The stored version of an item is that of its user.'),
  row(
    `${records}/select-overlapping-sleeps.ts`,
    'where s.user_id = $1',
    'Versions of a sleep are those of its user.',
  ),
  row(
    `${records}/select-overlapping-sleeps.ts`,
    'on i.user_id = $1',
    'Whether a sleep was final is a matter of its user.',
    queries,
  ),
  row(
    `${records}/select-tombstone.ts`,
    'from timeseries.tombstone where user_id = $1',
    'An erased user does not keep others from storing.',
  ),
  row(
    `${records}/select-tombstone.ts`,
    'from timeseries.purge where user_id = $1',
    'A purged connection does not keep other users from storing.',
  ),
  row(`${records}/delete-unmade.ts`, 'where v.user_id = $1', 'Day values are deleted for their user only.'),
  row(
    `${records}/delete-unmade.ts`,
    'where s.user_id = $1',
    'Scores are deleted for their user only.',
    scores,
  ),
  row(`${workouts}/crop-blocks.ts`, 'where user_id = $1', 'A shorter activity cuts blocks of its user only.'),
  row(
    `${workouts}/delete-workout.ts`,
    'where user_id = $1 and provider = $2 and key = $3 and (deleted_at',
    'A deletion finds the workout of its user.',
    queries,
  ),
  row(
    `${workouts}/delete-workout.ts`,
    "where user_id = $1 and provider = $2 and data_type in ('activities'",
    'A deletion forgets versions of its user only.',
  ),
  row(`${workouts}/forget-version.ts`, 'where user_id = $1', 'A version is forgotten for its user only.'),
  row(
    `${workouts}/select-cropped.ts`,
    'where user_id = $1 and provider',
    'Cropped activities are those of the user.',
    queries,
  ),
  row(
    `${workouts}/select-overlapping-workouts.ts`,
    'w.user_id = $1',
    'Duplicates are workouts of one user.',
    queries,
  ),
  row(
    `${workouts}/select-workout-span.ts`,
    'where w.user_id = $1',
    'A new version of a workout continues the workout of its user.',
  ),
  row(
    `${workouts}/select-workout-span.ts`,
    'where b.user_id = $1',
    'Blocks of another user do not make samples of an old release claimed.',
    unclaimed,
  ),
  row('samples/queries/ensure-series.ts', 's.user_id = $1', 'Samples are stored in series of their user.'),
  row(
    'samples/queries/unclaimed-samples.ts',
    'where w.user_id = $1 and w.provider = $2 and w.device = s.device',
    'Workouts of another user keep no samples of an old release.',
    unclaimed,
  ),
  row(
    'samples/queries/unclaimed-samples.ts',
    'where s.user_id = $1',
    'A deletion takes samples of an old release of its user only.',
    unclaimed,
  ),
  row(
    'samples/queries/unclaimed-samples.ts',
    'where b.user_id = $1',
    'Blocks of another user do not keep samples of an old release.',
    unclaimed,
  ),
  row(
    'samples/queries/unclaimed-samples.ts',
    'where w.user_id = $1 and w.provider = $2 and w.device = $4',
    'Workouts of another user do not keep samples of an old release.',
    unclaimed,
  ),
  row(
    'days/queries/delete-samples.ts',
    'where user_id = $1',
    'Samples of a slot are deleted in series of its user only.',
    queries,
  ),
  row(
    'days/queries/night-means.ts',
    'where user_id = k.user_id',
    'Means of a night are of the sleep of its user.',
  ),
  row(
    'days/queries/night-means.ts',
    `where n.user_id = k.user_id and n.date = k.date and n.provider = k.provider\`,
};

const update`,
    'Kept means are deleted for their user only.',
  ),
  row(
    'days/queries/night-means.ts',
    `where n.user_id = k.user_id and n.date = k.date and n.provider = k.provider\`,
};

/** The next`,
    'Kept means are written for their user only.',
  ),
  row(
    'days/queries/rename-sample-series.ts',
    'where s.user_id = $1',
    'Series of samples give way to intervals of the same user only.',
  ),
  row(
    'days/queries/rename-sample-series.ts',
    'where o.user_id = $1',
    'A series of another user takes no name.',
  ),
  row('days/queries/select-epoch-parts.ts', 'p.user_id = $1', 'Parts of a slot are those of one user.'),
  row(
    'days/queries/update-local-dates.ts',
    'where w.user_id = $1',
    'A daily record dates workouts of its user only.',
  ),
  row(
    'days/queries/update-local-dates.ts',
    'where p.user_id = $1',
    'A daily record dates parts of slots of its user only.',
  ),
  row(
    'days/queries/update-local-dates.ts',
    'where s.user_id = $1',
    'A daily record dates samples of its user only.',
  ),
  row(
    'intervals/queries/ensure-interval-series.ts',
    's.user_id = $1',
    'Intervals are stored in series of their user.',
  ),
  row(
    'intervals/queries/ensure-interval-set.ts',
    'where user_id = $1',
    'Intervals are in the set of their user.',
  ),
  row(
    'intervals/queries/ensure-interval-sources.ts',
    's.user_id = i.user_id',
    'Devices of another user take no names.',
  ),
  row(
    'intervals/queries/misdated-intervals.ts',
    'where s.user_id = $1',
    'A daily record dates intervals of its user only.',
    queries,
  ),
  row(
    'intervals/queries/select-own-totals.ts',
    'where user_id = $1',
    'Own totals that keep intervals from counting are those of the user.',
  ),
  row(
    'intervals/queries/settlements.ts',
    'where s.user_id = $1 and s.is_interval and i.series_id = s.id and ($2',
    'Another order of sources settles the statistics of its user only.',
  ),
  row(
    'intervals/queries/settlements.ts',
    'where s.user_id = $1 and s.type_id = $2',
    'Types are settled for one user only.',
  ),
  row(
    'intervals/queries/settlements.ts',
    'ranked_by = $2 where user_id = $1',
    'The configured order is noted for one user.',
  ),
  row(
    'intervals/queries/source-priority.ts',
    'source_priority where user_id = $1 and type_id',
    'An order of sources is removed for its user only.',
  ),
  row(
    'intervals/queries/stored-intervals.ts',
    'where s.user_id = $1',
    'A span that is read again loses intervals of its user only.',
  ),
];
