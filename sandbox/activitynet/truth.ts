import type { SeriesType } from '../../domain/series.ts';
import { noSeries, type SampleSink, type SeriesLine } from '../truth/series.ts';
import { type Detailed, detailedOf, streamsOf, type Told, toldOf, uploadsIn } from './activities.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';

/** What an application should have of an athlete who told it of activities and took none of them back. */
export interface ActivitynetTruth {
  readonly athlete_id: number;
  readonly authorized: boolean;
  readonly activities: readonly {
    readonly id: number;
    readonly type: string;
    readonly name: string;
    readonly start_time: string;
    readonly duration_seconds: number;
  }[];
  readonly deleted: readonly number[];
  readonly series: readonly SeriesLine[];
}

const dayMs = 86_400_000;
const keptMs = 2 * 365 * dayMs;

/** Works out the truth from what the application was told of. */
export function activitynetTruth(world: ActivitynetWorld, account: ActivitynetAccount): ActivitynetTruth {
  const series = noSeries();
  addAthleteSamples(series, world, account);
  return {
    athlete_id: account.athlete_id,
    authorized: account.authorized,
    activities: activitiesTold(world, account).map((one) => ({
      ...{ id: one.id, type: one.sport_type, name: one.name },
      ...{ start_time: new Date(one.start_date).toISOString(), duration_seconds: one.elapsed_time },
    })),
    deleted: account.deleted,
    series: series.list(),
  };
}

/** The activities of an athlete as the platform tells them now. */
export function activitiesTold(world: ActivitynetWorld, account: ActivitynetAccount): Detailed[] {
  return thereOf(world, account).map((told) => detailedOf(told, account.titles[told.upload.id]));
}

/** Adds the samples of an athlete's activities. */
export function addAthleteSamples(
  series: SampleSink,
  world: ActivitynetWorld,
  account: ActivitynetAccount,
): void {
  for (const told of thereOf(world, account)) addStreams(series, told);
}

function thereOf(world: ActivitynetWorld, account: ActivitynetAccount): Told[] {
  const nowMs = world.clock.nowMs();
  const person = world.person(account.person);
  return uploadsIn(person, { startMs: nowMs - keptMs, endMs: nowMs })
    .filter(({ id }) => account.told.includes(id) && !account.deleted.includes(id))
    .map((upload) => toldOf(world.days, person, upload))
    .filter((told) => told !== null);
}

const seriesOfStream: Readonly<Record<string, SeriesType>> = {
  heartrate: 'heart_rate',
  watts: 'power',
  velocity_smooth: 'speed',
  cadence: 'cadence',
  temp: 'weather_temperature',
};

function addStreams(series: SampleSink, told: Told): void {
  const streams = streamsOf(told);
  const start = told.upload.startMs / 1000;
  const times = streams.time ?? [];
  for (const [name, values] of Object.entries(streams)) {
    const type = seriesOfStream[name];
    if (type === undefined) continue;
    for (const [index, value] of values.entries())
      series.add(type, told.day.person.traits.device, start + (times[index] ?? 0), value);
  }
}
