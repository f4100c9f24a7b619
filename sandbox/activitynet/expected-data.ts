import type { SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { emptySeries, type SampleSink } from '../simulation/expected-series.ts';
import {
  type Activity,
  activityOf,
  type Detailed,
  detailedOf,
  measuredStreams,
  uploadsIn,
} from './activities.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';

const dayMs = 86_400_000;
const keptMs = 2 * 365 * dayMs;

/** The data that an application should have stored: the activities that it has seen and that were not deleted. */
export function expectedActivitynetData(world: ActivitynetWorld, account: ActivitynetAccount) {
  const series = emptySeries();
  addAthleteSamples(series, world, account);
  return {
    athlete_id: account.athlete_id,
    authorized: account.authorized,
    activities: currentActivities(world, account).map((one) => ({
      id: one.id,
      type: one.sport_type,
      name: one.name,
      start_time: isoTime(Date.parse(one.start_date)),
      duration_seconds: one.elapsed_time,
    })),
    deleted: account.deleted,
    series: series.list(),
  };
}

/** The current activities of an athlete. */
export function currentActivities(world: ActivitynetWorld, account: ActivitynetAccount): Detailed[] {
  return seenActivities(world, account).map((activity) =>
    detailedOf(activity, account.titles[activity.upload.id]),
  );
}

/** Adds the samples of an athlete's activities. */
export function addAthleteSamples(
  series: SampleSink,
  world: ActivitynetWorld,
  account: ActivitynetAccount,
): void {
  for (const activity of seenActivities(world, account)) addStreams(series, activity);
}

function seenActivities(world: ActivitynetWorld, account: ActivitynetAccount): Activity[] {
  const nowMs = world.clock.nowMs();
  const user = world.user(account.person);
  return uploadsIn(user, { startMs: nowMs - keptMs, endMs: nowMs })
    .filter(({ id }) => account.told.includes(id) && !account.deleted.includes(id))
    .map((upload) => activityOf(user, upload))
    .filter((activity) => activity !== null);
}

const seriesOfStream: Readonly<Record<string, SeriesType>> = {
  heartrate: 'heart_rate',
  watts: 'power',
  velocity_smooth: 'speed',
  cadence: 'cadence',
  temp: 'weather_temperature',
};

function addStreams(series: SampleSink, activity: Activity): void {
  const streams = measuredStreams(activity);
  const start = activity.upload.startMs / 1000;
  const times = streams.time ?? [];
  for (const [name, values] of Object.entries(streams)) {
    const type = seriesOfStream[name];
    if (type === undefined) continue;
    for (const [index, value] of values.entries())
      series.add(type, activity.day.user.traits.device, start + (times[index] ?? 0), value);
  }
}
