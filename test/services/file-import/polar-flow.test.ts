import t, { type Test } from 'tap';
import { z } from 'zod';
import { types } from '../../../providers/polar/records.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { type FlowExport, type FlowLedger, flowExport } from '../../../sandbox/polar/account-export.ts';
import { createUser } from '../../support/api.ts';
import { startImports, valuesOf } from './account-exports.ts';
import { expectSameFromEachPart, importFile, namesOf } from './importing.ts';

const { api, rowsAt, allOf } = await startImports(t);
const startMs = Date.parse('2026-03-01T23:00:00Z');
const user = { seed: 'a user', startMs, days: 5, offsetMinutes: 60 };

const Workout = z.looseObject({
  ...{ id: z.string(), start_time: z.string(), zone_offset: z.string().nullable(), type: z.string() },
  distance_meters: z.number(),
});
const workoutsOf = async (userId: string) => z.array(Workout).parse(await rowsAt(userId, 'events/workouts'));

const Detail = z.object({ laps: z.array(z.unknown()).nullable() });
const Track = z.object({ geometry: z.object({ coordinates: z.array(z.unknown()) }).nullable() });
async function lapsAndTracks(userId: string) {
  let [laps, tracks] = [0, 0];
  for (const { id } of await workoutsOf(userId)) {
    const path = `/users/${userId}/events/workouts/${id}`;
    laps += Detail.parse(await api.expect(200, path)).laps?.length ?? 0;
    const streams = await api.ask(`/api/v1${path}/streams?format=geojson`, { key: api.apiKey });
    if (streams.status === 200 && Track.parse(streams.body).geometry !== null) tracks += 1;
  }
  return { laps, tracks };
}

const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b);

async function expectNumbers(
  t: Test,
  userId: string,
  ledger: FlowLedger,
  zone_offset: string,
): Promise<void> {
  const { samples, sleeps, activity, sleep, scores } = await allOf(userId);
  t.same(
    activity.map(({ steps }) => steps),
    ledger.steps,
    'a day without a summary has its counts',
  );
  t.same(
    samples.heart_rate?.map(([time]) => Date.parse(time)),
    ledger.heartRates,
    'a session and the devices of a day do not add up',
  );
  t.equal(samples.average_met?.length, ledger.mets);
  t.same(
    sleep.map(({ duration_minutes }) => 60 * Number(duration_minutes)),
    ledger.nights.map(({ asleepSeconds }) => asleepSeconds),
  );
  t.same(
    sleeps.map((night) => Date.parse(String(Reflect.get(night, 'start_time')))).toReversed(),
    ledger.nights.map(({ startMs }) => startMs),
  );
  const nights = (await rowsAt(userId, 'events/sleep', '&include=timeline')).toReversed();
  t.match(
    nights.slice(1),
    ledger.scores.map((value) => ({ score: { value }, zone_offset })),
  );
  t.match(nights[0], { extra: { efficiencyPercent: 91.5, batteryRanOut: false } });
  t.equal(scores.filter(({ kind }) => kind === 'recharge').length, ledger.recoveries);
  t.same(
    valuesOf(samples.respiratory_rate),
    ledger.nights.map(() => 15),
  );
  t.same(
    valuesOf(samples.heart_rate_variability_rmssd),
    ledger.nights.map((_, index) => 40 + index),
  );
  t.same(
    valuesOf(samples.vo2_max),
    Array.from({ length: ledger.fitnessTests }, () => 44),
  );
  const workouts = await workoutsOf(userId);
  t.same(sorted(workouts.map((workout) => Date.parse(workout.start_time))), sorted(ledger.workouts));
  t.same(
    workouts.filter((workout) => workout.zone_offset !== zone_offset),
    [],
    'a run without an offset has that of the nights around it',
  );
  t.equal(
    workouts.reduce((sum, { distance_meters }) => sum + distance_meters, 0),
    ledger.distanceMeters,
  );
  t.equal(workouts.filter(({ type }) => type === 'running').length, 1, 'numbers of sports are not guessed');
  t.same(await lapsAndTracks(userId), { laps: ledger.laps, tracks: ledger.tracks });
}

const inNewYork = { ...user, startMs: Date.parse('2026-03-01T05:00:00Z'), offsetMinutes: -300 };
for (const [name, of, zone] of [
  ['Berlin', user, '+01:00'],
  ['New York', inNewYork, '-05:00'],
] as const)
  t.test(`an export of a user in ${name} gives what the user recorded, and twice the same`, async (t) => {
    const { files, ledger } = flowExport(of);
    const userId = await createUser(api);
    const done = await importFile(api, userId, zipOf(files));
    t.match(done, { state: 'done', kind: 'polar_flow', error: null });
    t.same(namesOf(done.skipped), [
      '1 .data: The account and its settings are not kept.',
      '1 .json: Plans are not kept.',
      '1 .json: The account and its settings are not kept.',
      '1 .json: Times between beats are not kept.',
      '1 .json: Values without the date of their night are not kept.',
      '1 .json: Weights and notes of the calendar are not kept, because their form is not known.',
    ]);
    await expectNumbers(t, userId, ledger, zone);
    const before = await allOf(userId);
    const again = await importFile(api, userId, zipOf(files));
    t.same(again.counts, done.counts);
    t.same(await allOf(userId), before, 'the same archive changes nothing');
    const newer = flowExport({ ...of, days: of.days + 1 });
    await importFile(api, userId, zipOf(newer.files));
    await expectNumbers(t, userId, newer.ledger, zone);
    await importFile(api, userId, zipOf(files));
    await expectNumbers(t, userId, newer.ledger, zone);
  });

t.test('beside a live connection to Polar nothing counts twice', async (t) => {
  const { files, ledger } = flowExport(user);
  const userId = await createUser(api);
  const local = (ms: number) => new Date(ms + 3_600_000).toISOString().slice(0, 19);
  const runs = ledger.workouts.filter((ms) => local(ms).endsWith('18:00:00'));
  const lists = {
    activities: runs.map((ms, index) => ({
      ...{ id: `live${index}`, start_time: local(ms), start_time_utc_offset: 60, duration: 'PT40M' },
      ...{ distance: 7100, sport: 'RUNNING', detailed_sport_info: 'RUNNING' },
    })),
    sleep: ledger.nights.map(({ startMs, endMs, asleepSeconds }) => ({
      date: local(endMs).slice(0, 10),
      ...{ sleep_start_time: `${local(startMs)}+01:00`, sleep_end_time: `${local(endMs)}+01:00` },
      ...{ light_sleep: asleepSeconds, deep_sleep: 0, rem_sleep: 0, sleep_score: 80 },
    })),
    days: ledger.steps.map((steps, day) => ({
      ...{ start_time: local(startMs + day * 86_400_000), end_time: local(startMs + (day + 1) * 86_400_000) },
      steps,
    })),
  };
  for (const kind of ['activities', 'sleep', 'days'] as const) {
    const read = { records: { list: lists[kind] }, span: null, nowMs: Date.now() };
    const items = types[kind]?.normalise(read).items ?? [];
    t.equal(items.length, lists[kind].length);
    await api.call('timeseries.store', { user_id: userId, provider: 'polar', items: [...items] });
  }
  await importFile(api, userId, zipOf(files));
  const { activity, sleep } = await allOf(userId);
  t.same(
    activity.map(({ steps }) => steps),
    ledger.steps,
  );
  t.same(
    sleep.map(({ duration_minutes }) => 60 * Number(duration_minutes)),
    ledger.nights.map(({ asleepSeconds }) => asleepSeconds),
  );
  // The run of two legs is one at the connection, whose second leg is a part of it.
  const starts = (await workoutsOf(userId)).map(({ start_time }) => Date.parse(start_time));
  t.equal(new Set(starts).size, starts.length, 'no run is listed twice');
});

/** An export with some members changed. */
const changed = ({ files }: FlowExport, pattern: RegExp, change: (text: string) => string) =>
  zipOf(
    files.map(({ name, bytes }) => ({
      name,
      bytes: pattern.test(name) ? Buffer.from(change(Buffer.from(bytes).toString())) : bytes,
    })),
  );
const cut = (text: string) => text.slice(0, text.length / 2);

t.test('a damaged member costs itself, and is named', async (t) => {
  const export_ = flowExport({ ...user, days: 3 });
  const { ledger } = export_;
  const whole = await importFile(api, await createUser(api), zipOf(export_.files));
  for (const [pattern, lost] of [
    [/training-session_2026-03-02/, { workouts: 1 }],
    [/activity-2026-03-02/, { days: 1 }],
    [/sleep_score/, {}],
    [/nightly_recovery_1/, { recovery: 2 }],
  ] as const) {
    const userId = await createUser(api);
    const done = await importFile(api, userId, changed(export_, pattern, cut));
    t.match(done, { state: 'done', error: null });
    t.ok(
      namesOf(done.skipped).includes('1 .json: The JSON of a member is cut off or damaged.'),
      `${pattern}`,
    );
    for (const [type, most] of Object.entries(lost)) {
      const missing = Number(whole.counts[type]) - Number(done.counts[type] ?? 0);
      t.ok(missing > 0 && missing <= most, `${missing} ${type} are lost`);
    }
    t.equal((await rowsAt(userId, 'summaries/sleep')).length, ledger.nights.length);
  }
});

t.test('an import that goes on at any part of an export stores what an import in one go does', async (t) => {
  await expectSameFromEachPart(
    t,
    zipOf(flowExport({ ...user, startMs: Date.parse('2025-09-30T22:00:00Z'), days: 200 }).files),
  );
});

const member = (name: string, document: unknown): ZippedFile => ({
  name,
  bytes: Buffer.from(JSON.stringify(document)),
});

t.test('a night states the clock of its day, and the zone of the user counts elsewhere', async (t) => {
  const night = (date: string, start: string, end: string) => ({
    night: date,
    sleepResult: { hypnogram: { sleepStart: start, sleepEnd: end, sleepStateChanges: [] } },
    evaluation: { asleepDuration: 'PT7H' },
  });
  const rates = (date: string) => ({
    date,
    deviceId: '0A',
    samples: [{ heartRate: 60, secondsFromDayStart: 43_200 }],
  });
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const done = await importFile(
    api,
    userId,
    zipOf([
      // The clocks of Berlin change on 29 March; the user is in New York on 1 April.
      member('sleep_result_1.json', [
        night('2026-03-28', '2026-03-27T23:00:00+01:00', '2026-03-28T07:00:00+01:00'),
        night('2026-04-01', '2026-03-31T23:00:00-04:00', '2026-04-01T07:00:00-04:00'),
      ]),
      member('247ohr_2026_03.json', {
        deviceDays: ['2026-03-20', '2026-03-28', '2026-03-30', '2026-04-01'].map(rates),
      }),
      member('activity-2026-04-01.json', {
        date: '2026-04-01',
        samples: { steps: [{ localTime: '12:00:00', value: 90 }] },
      }),
    ]),
  );
  t.match(done, { state: 'done', kind: 'polar_flow', skipped: [] });
  const { samples } = await allOf(userId);
  t.same(
    samples.heart_rate?.map(([time]) => time),
    ['2026-03-20T11:00:00Z', '2026-03-28T11:00:00Z', '2026-03-30T10:00:00Z', '2026-04-01T16:00:00Z'],
  );
  t.same(
    (await rowsAt(userId, 'summaries/activity')).flatMap(({ date, steps }) =>
      steps === null ? [] : [[date, steps]],
    ),
    [['2026-04-01', 90]],
  );
});

t.test('an archive with one such name alone is no export of Polar Flow', async (t) => {
  const done = await importFile(api, await createUser(api), zipOf([member('activity-2026-04-01.json', {})]));
  t.match(done, { kind: 'archive' });
});
