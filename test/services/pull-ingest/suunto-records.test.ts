import t from 'tap';
import { z } from 'zod';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { recentCase, startAnswering } from './answering.ts';

const { api, answers, requested, connected, backfilled } = await startAnswering(t);
const dates = `start_date=${isoTime(Date.now() - 40 * dayMs).slice(0, 10)}&end_date=${isoTime(Date.now() + dayMs).slice(0, 10)}`;

const Nights = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      start_time: z.string(),
      end_time: z.string(),
      duration_seconds: z.number().nullable(),
      efficiency_percent: z.number().nullable(),
      stages: z.object({ awake_minutes: z.number().nullable(), deep_minutes: z.number().nullable() }),
      is_nap: z.boolean(),
    }),
  ),
});

const Scored = z.object({ score: z.object({ value: z.number() }) });

/** The nights of a new user after a backfill of entries, and why entries were not stored. */
async function nightsOf(entries: unknown) {
  answers.set('/247samples/sleep', entries);
  const userId = await connected('suunto');
  const { types } = await backfilled(userId, 'suunto');
  const { data } = Nights.parse(await api.expect(200, `/users/${userId}/events/sleep?${dates}`));
  const sorted = data.toSorted((a, b) => (a.start_time < b.start_time ? -1 : 1));
  return { userId, nights: sorted, skipped: types.find(({ type }) => type === 'sleep')?.skipped };
}

for (const order of ['as listed', 'backwards'])
  t.test(`time in bed, nights without bedtimes, and versions of a night: ${order}`, async (t) => {
    const { body, movedMs } = recentCase('04-suunto-sleep/sleep.json');
    const entries = z.array(z.unknown()).parse(body);
    const { userId, nights, skipped } = await nightsOf(
      order === 'backwards' ? entries.toReversed() : entries,
    );
    const moved = (time: string) => isoTime(Date.parse(time) + movedMs).replace('.000', '');
    t.match(nights, [
      {
        ...{ start_time: moved('2026-11-19T23:10:00Z'), end_time: moved('2026-11-20T08:58:00Z') },
        ...{ duration_seconds: 34_650, efficiency_percent: 98.21, is_nap: false },
        stages: { awake_minutes: 10 },
      },
      {
        ...{ start_time: moved('2026-11-22T20:51:00Z'), end_time: moved('2026-11-23T06:22:00Z') },
        ...{ duration_seconds: 33_300, is_nap: false, stages: { awake_minutes: 16 } },
      },
    ]);
    t.equal(nights.length, 2);
    t.same(skipped, [{ reason: 'Another version of the same night is fuller or later.', records: 1 }]);
    const Days = z.object({ data: z.array(z.object({ date: z.string(), duration_minutes: z.number() })) });
    const days = Days.parse(await api.expect(200, `/users/${userId}/summaries/sleep?${dates}`));
    t.same(days.data.map(({ duration_minutes }) => duration_minutes).sort(), [555, 577]);
  });

const evening = `${isoTime(Date.now() - 5 * dayMs).slice(0, 10)}T22:00:00+02:00`;
const after = (minutes: number) => isoTime(Date.parse(evening) + minutes * 60_000).replace('.000', '');
const entry = (entryData: object, timestamp = evening) => ({ timestamp, entryData });
const staged = (hours: number) => ({
  ...{ DeepSleepDuration: hours * 1000, LightSleepDuration: hours * 2000, REMSleepDuration: hours * 500 },
});

t.test('of versions without an id, the one with stages that ends last counts', async (t) => {
  const early = { DateTime: evening, Duration: 14_400, ...staged(4), SleepQualityScore: 50, HRAvg: 1 };
  const late = { DateTime: evening, Duration: 28_800, ...staged(8), WakeBeforeOffBedDuration: 300 };
  const stub = { DateTime: evening, Duration: 36_000, IsNap: true };
  const { nights, skipped } = await nightsOf([entry(late), entry(stub), entry(early)]);
  t.match(nights, [{ end_time: after(480), duration_seconds: 28_000, stages: { awake_minutes: 5 } }]);
  t.match(skipped, [{ records: 2 }]);
  const computed = (score: number, at: number) =>
    entry(
      { SleepId: 9, DateTime: evening, Duration: 28_800, ...staged(8), SleepQualityScore: score },
      after(at),
    );
  const again = await nightsOf([computed(81, 600), computed(70, 500)]);
  const { score } = Scored.parse(
    await api.expect(200, `/users/${again.userId}/events/sleep/${again.nights[0]?.id}`),
  );
  t.equal(score.value, 81, 'of equal ones that with the later time');
});

t.test('a nap without stages was asleep for the time in bed that it was not awake', async (t) => {
  const noStages = { DeepSleepDuration: 0, LightSleepDuration: 0, REMSleepDuration: 0 };
  const nap = { SleepId: 5, IsNap: true, Duration: 2400, ...noStages, WakeAfterSleepOnsetDuration: 300 };
  const unknown = { SleepId: 6, IsNap: true, BedtimeEnd: after(1100), Duration: 2400 };
  const { nights } = await nightsOf([entry(nap, after(900)), entry(unknown, after(1060))]);
  t.match(nights, [
    { start_time: after(900), duration_seconds: 2100, is_nap: true },
    { end_time: after(1100), duration_seconds: null, is_nap: true },
  ]);
  t.equal(nights[0]?.stages.deep_minutes, null, 'no stage is known');
});

t.test('a night without a time or an end has a reason', async (t) => {
  const { nights, skipped } = await nightsOf([
    entry({ SleepId: 1, Duration: 1000 }, 'yesterday'),
    entry({ SleepId: 2, ...staged(7) }),
    entry({ SleepId: 3, Duration: 25_200, ...staged(7) }, after(1440)),
  ]);
  t.equal(nights.length, 1);
  t.same(
    skipped?.map(({ records }) => records),
    [1, 1],
  );
});

const Workouts = z.object({
  data: z.array(z.object({ id: z.string(), start_time: z.string(), end_time: z.string() })),
});

/** The lengths of a new user's workouts in seconds, from start to end and in motion. */
async function lengthsOf(payload: unknown): Promise<unknown[]> {
  answers.set('/v3/workouts/', { error: null, payload });
  const userId = await connected('suunto');
  await backfilled(userId, 'suunto');
  const { data } = Workouts.parse(await api.expect(200, `/users/${userId}/events/workouts?${dates}`));
  const rows = await api.database.query<{ moving_seconds: number; duration_seconds: number }>(
    'select moving_seconds, duration_seconds from timeseries.workout where user_id = $1',
    [userId],
  );
  return data.map(({ start_time, end_time }, index) => [
    (Date.parse(end_time) - Date.parse(start_time)) / 1000,
    ...[rows[index]?.duration_seconds, rows[index]?.moving_seconds],
  ]);
}

const { body } = recentCase('26-suunto-pauses/workout.json');
const [fresh] = z.tuple([z.looseObject({ startTime: z.number() })]).parse(body);
const pause = (fromSeconds: number, toSeconds?: number) => ({
  startTime: fresh.startTime + fromSeconds * 1000,
  ...(toSeconds === undefined ? {} : { endTime: fresh.startTime + toSeconds * 1000 }),
});
const paused = (...pauseMarkers: object[]) => ({
  ...fresh,
  extensions: [{ type: 'SummaryExtension' }, { type: 'PauseMarkerExtension', pauseMarkers }],
});
const twice = paused(pause(60, 129.92), pause(200, 220.77));

t.test('a workout without an end lasts for its time and its pauses', async (t) => {
  t.same(await lengthsOf([twice]), [[301.25, 301, 211]]);
  t.ok(requested.some((path) => path.includes('/v3/workouts/?') && /extensions=PauseMarkerExt/.test(path)));
  const overlapping = paused(
    pause(60, 129.92),
    pause(60, 129.92),
    pause(100, 110),
    pause(205),
    pause(200, 220.77),
  );
  t.same(await lengthsOf([overlapping]), [[301.25, 301, 211]]);
});

t.test('pauses that the list does not have are read with the workout', async (t) => {
  answers.set('/v3/workouts/k1', { error: null, payload: twice });
  t.same(await lengthsOf([fresh]), [[301.25, 301, 211]]);
  answers.set('/v3/workouts/k1', { error: null, payload: fresh });
  t.same(await lengthsOf([fresh]), [[210.56, 211, 211]], 'one that says no more than the list');
  answers.delete('/v3/workouts/k1');
  t.same(await lengthsOf([fresh]), [[210.56, 211, 211]], 'the list alone, where the workout has no answer');
  requested.length = 0;
  t.same(await lengthsOf([{ ...fresh, extensionTypes: ['SUMMARY'] }]), [[210.56, 211, 211]]);
  t.same(await lengthsOf([{ ...fresh, stopTime: fresh.startTime + 400_000 }]), [[400, 400, 211]]);
  t.notOk(requested.includes('/v3/workouts/k1?extensions=PauseMarkerExtension'), 'without need for it');
});
