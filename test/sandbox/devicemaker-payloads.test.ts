import { createHash } from 'node:crypto';
import t from 'tap';
import { accepts } from '../../domain/records/series.ts';
import { dailyOf } from '../../sandbox/devicemaker/payloads/dailies.ts';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { instantOf, offsetMinutesAt } from '../../sandbox/simulation/zone.ts';
import { dayOf, isOffsetMap, laterMs, notificationsOf, sentDays, sum } from './devicemaker-days.ts';
import { problemList } from './problem-list.ts';

const sent = sentDays();

t.test('the bytes of a day of a seed do not change', async (t) => {
  const day = dayOf('weekday-runner', '2026-05-05');
  const bytes = JSON.stringify(notificationsOf(day, { types: dataTypes, nowMs: laterMs }));
  t.equal(createHash('sha256').update(bytes).digest('hex').slice(0, 16), 'c60c211e3dfe7838');
});

t.test('all 16 data types, or only the requested ones, are created', async (t) => {
  const seen = new Set(sent.flatMap(({ bodies }) => bodies.flatMap((body) => Object.keys(body))));
  t.same([...seen].sort(), [...dataTypes].sort());
  t.equal(dataTypes.length, 16);
  const day = dayOf('weekday-runner', '2026-05-05');
  const few = notificationsOf(day, { types: ['sleeps', 'dailies'], nowMs: laterMs });
  t.same([...new Set(few.flatMap(({ body }) => Object.keys(body)))].sort(), ['dailies', 'sleeps']);
});

t.test('every item names its account and has an id of its own', async (t) => {
  const { expect, problems } = problemList();
  for (const { day, name, bodies } of sent)
    for (const items of bodies.flatMap((body) => Object.values(body))) {
      expect(
        items.every(({ userId }) => userId === day.user.account_id),
        `account of ${name}`,
      );
      expect(new Set(items.map(({ summaryId }) => summaryId)).size === items.length, `ids of ${name}`);
    }
  t.same(problems, []);
});

t.test('the maps of the smaller types have text keys within their span and valid values', async (t) => {
  const { expect, problems } = problemList();
  const is = {
    stress: (level: number) => level === -1 || level === -2 || accepts('devicemaker_stress_level', level),
    battery: (level: number) => level > 4 && level <= 100,
    breath: (breaths: number) => breaths === -1 || breaths === -2 || (breaths > 8 && breaths < 24),
    hrv: (ms: number) => ms > 10 && ms < 200,
  };
  for (const { name, bodies } of sent) {
    const maps = bodies.flatMap((body) => [
      ...(body.stressDetails ?? []).flatMap((item) => [
        { item, map: item.timeOffsetStressLevelValues, every: 180, fits: is.stress },
        { item, map: item.timeOffsetBodyBatteryValues, every: 180, fits: is.battery },
      ]),
      ...(body.respiration ?? []).map((item) => ({
        item,
        map: item.timeOffsetEpochToBreaths,
        every: 180,
        fits: is.breath,
      })),
      ...(body.hrv ?? []).map((item) => ({ item, map: item.hrvValues, every: 300, fits: is.hrv })),
    ]);
    for (const { item, map, every, fits } of maps) {
      expect(isOffsetMap(map, item.durationInSeconds), `span of ${item.summaryId}, ${name}`);
      expect(
        Object.keys(map).every((key) => Number(key) % every === 0),
        `pace of ${item.summaryId}, ${name}`,
      );
      expect(Object.values(map).every(fits), `values of ${item.summaryId}, ${name}`);
    }
  }
  t.same(problems, []);
});

t.test('a snapshot contains two minutes with a value per second', async (t) => {
  const snapshots = sent.flatMap(({ bodies }) => bodies.flatMap(({ healthSnapshot = [] }) => healthSnapshot));
  t.ok(snapshots.length > 5);
  const lengths = snapshots.flatMap(({ summaries }) =>
    summaries.flatMap((one) => ('epochSummaries' in one ? [Object.keys(one.epochSummaries).length] : [])),
  );
  t.same([...new Set(lengths)], [120]);
});

t.test('a day that has not ended is sent until the last full quarter of an hour', async (t) => {
  const day = dayOf('weekday-runner', '2026-05-05');
  const nowMs = instantOf('Asia/Kathmandu', '2026-05-05', 14 * 60 + 37);
  const notes = notificationsOf(day, { types: dataTypes, nowMs });
  t.same(
    notes.map(({ atMs }) => atMs),
    [nowMs - 157 * 60_000, nowMs - 7 * 60_000],
  );
  t.equal(notes.at(-1)?.body.dailies?.[0]?.durationInSeconds, (14 * 60 + 30) * 60);
  t.same(notes[0], notificationsOf(day, { types: dataTypes, nowMs: laterMs })[0], 'noon stays as it was');
  t.same(notificationsOf(day, { types: dataTypes, nowMs: day.startMs }), []);
  t.same(notificationsOf(day, { types: dataTypes, nowMs: day.startMs - 1 }), []);
});

t.test('a day is sent three times as it grows: same start, longer, another id', async (t) => {
  const { expect, problems } = problemList();
  for (const { name, bodies } of sent) {
    const versions = bodies.flatMap(({ dailies = [] }) => dailies);
    expect(versions.length === 3, `versions of ${name}`);
    expect(new Set(versions.map((one) => one.startTimeInSeconds)).size === 1, `start of ${name}`);
    expect(new Set(versions.map((one) => one.summaryId)).size === 3, `ids of ${name}`);
    for (const field of ['durationInSeconds', 'bmrKilocalories'] as const)
      expect(
        grows(
          versions.map((one) => one[field]),
          1,
        ),
        `${field} of ${name}`,
      );
    for (const field of ['steps', 'distanceInMeters', 'floorsClimbed', 'activeKilocalories'] as const)
      expect(
        grows(
          versions.map((one) => one[field]),
          0,
        ),
        `${field} of ${name}`,
      );
  }
  t.same(problems, []);
});

function grows(values: readonly number[], least: number): boolean {
  return values.every((value, index) => value - (values[index - 1] ?? -1) >= least);
}

t.test('the values of a day at noon are the beginning of those at its end', async (t) => {
  for (const { name, bodies } of sent.filter((_, index) => index % 4 === 0)) {
    const [noon, , whole] = bodies.flatMap(({ dailies = [] }) => dailies);
    const rates = Object.entries(whole?.timeOffsetHeartRateSamples ?? {});
    const early = rates.filter(([offset]) => Number(offset) < (noon?.durationInSeconds ?? 0));
    t.same(noon?.timeOffsetHeartRateSamples ?? {}, Object.fromEntries(early), name);
    t.ok(early.length < rates.length);
  }
});

t.test('a day counts whole minutes until it is sent, and not beyond its midnight', async (t) => {
  const day = dayOf('weekday-runner', '2026-05-06');
  const run = day.workouts[0]?.startMs ?? 0;
  const untilMs = Math.ceil(run / 60_000) * 60_000 + 900_000;
  const early = day.minutes.filter(({ startMs, worn }) => worn && startMs < untilMs);
  t.equal(dailyOf(day, untilMs).steps, sum(early.map(({ steps }) => steps)));
  t.ok(dailyOf(day, untilMs).steps < dailyOf(day, untilMs + 1_800_000).steps);
  t.same(dailyOf(day, day.endMs + 3_600_000), dailyOf(day, day.endMs));
});

t.test('heart rates have an interval of 15 s with gaps, and the totals match them', async (t) => {
  const { expect, problems } = problemList();
  for (const { day, name, bodies } of sent) {
    const daily = bodies.at(-1)?.dailies?.[0];
    const map = daily?.timeOffsetHeartRateSamples ?? {};
    const values = Object.values(map);
    const most = (day.endMs - day.startMs) / 15_000;
    expect(isOffsetMap(map, daily?.durationInSeconds ?? 0), `keys of ${name}`);
    expect(
      Object.keys(map).every((offset) => Number(offset) % 15 === 0),
      `pace of ${name}`,
    );
    expect(values.length > 1000 && values.length < most, `gaps of ${name}`);
    expect(
      values.every((value) => accepts('heart_rate', value)),
      `values of ${name}`,
    );
    expect(daily?.minHeartRateInBeatsPerMinute === Math.min(...values), `lowest of ${name}`);
    expect(daily?.maxHeartRateInBeatsPerMinute === Math.max(...values), `highest of ${name}`);
    expect(
      daily?.averageHeartRateInBeatsPerMinute === Math.round(sum(values) / values.length),
      `mean of ${name}`,
    );
    expect(accepts('resting_heart_rate', daily?.restingHeartRateInBeatsPerMinute), `rest of ${name}`);
  }
  t.same(problems, []);
});

t.test('a day has its local date, the offset of its midnight and its true length', async (t) => {
  const cases = [
    ['weekday-runner', '2026-03-08', Date.UTC(2026, 2, 7, 18, 15), 20_700, 86_400],
    ['shift-worker', '2026-03-07', Date.UTC(2026, 2, 7, 8), -28_800, 86_400],
    ['shift-worker', '2026-03-08', Date.UTC(2026, 2, 8, 8), -28_800, 82_800],
    ['shift-worker', '2026-03-09', Date.UTC(2026, 2, 9, 7), -25_200, 86_400],
    ['shift-worker', '2026-11-01', Date.UTC(2026, 10, 1, 7), -25_200, 90_000],
    ['shift-worker', '2026-11-02', Date.UTC(2026, 10, 2, 8), -28_800, 86_400],
    ['island-hiker', '2026-07-01', Date.UTC(2026, 6, 1, 2, 30), -9_000, 86_400],
  ] as const;
  for (const [key, calendarDate, startMs, startTimeOffsetInSeconds, durationInSeconds] of cases) {
    const day = dayOf(key, calendarDate);
    t.match(
      dailyOf(day, day.endMs),
      { calendarDate, startTimeInSeconds: startMs / 1000, startTimeOffsetInSeconds, durationInSeconds },
      `${key} ${calendarDate}`,
    );
  }
});

t.test("a day's totals include those of its workouts and quarters of an hour", async (t) => {
  const { expect, problems } = problemList();
  const onFoot = new Set(['RUNNING', 'TRACK_RUNNING', 'HIKING', 'WALKING']);
  for (const { day, name, bodies } of sent) {
    const daily = dailyOf(day, day.endMs);
    const workouts = bodies.flatMap(({ activities = [] }) => activities);
    const walked = workouts.filter(({ activityType }) => onFoot.has(activityType));
    const epochs = bodies.flatMap((body) => body.epochs ?? []);
    const { activeTimeInSeconds: active, moderateIntensityDurationInSeconds: moderate } = daily;
    expect(workouts.length === day.workouts.length, `workouts of ${name}`);
    expect(daily.steps >= sum(workouts.map(({ steps = 0 }) => steps)), `steps of ${name}`);
    expect(
      daily.activeKilocalories >= sum(workouts.map((one) => one.activeKilocalories)),
      `energy of ${name}`,
    );
    expect(
      daily.distanceInMeters + 1 >= sum(walked.map((one) => one.distanceInMeters ?? 0)),
      `way of ${name}`,
    );
    expect(active >= moderate + daily.vigorousIntensityDurationInSeconds, `intensity of ${name}`);
    expect(active >= sum(workouts.map((one) => one.durationInSeconds - 60)), `active time of ${name}`);
    expect(sum(epochs.map(({ steps }) => steps)) === daily.steps, `quarters of ${name}`);
    expect(
      epochs.every((one) => one.startTimeInSeconds % 900 === 0),
      `slots of ${name}`,
    );
  }
  t.same(problems, []);
});

const nights = sent
  .filter(({ day }) => day.sleep !== null)
  .map(({ day, name, bodies }) => ({ day, name, versions: bodies.flatMap(({ sleeps = [] }) => sleeps) }));

t.test('a sleep is tentative first, if it ended early enough, and then final', async (t) => {
  const { expect, problems } = problemList();
  for (const { day, name, versions } of nights) {
    expect(versions.at(-1)?.validation === 'ENHANCED_FINAL', `end of ${name}`);
    expect(
      versions.every(({ calendarDate }) => calendarDate === day.date),
      `date of ${name}`,
    );
    expect(
      versions.slice(1).every(({ validation }) => validation === 'ENHANCED_FINAL'),
      `order of ${name}`,
    );
  }
  t.same(problems, []);
  t.ok(nights.length > 50);
  t.ok(nights.filter(({ versions }) => versions[0]?.validation === 'ENHANCED_TENTATIVE').length > 30);
});

t.test('stages do not overlap and add up; the duration excludes awake time', async (t) => {
  const { expect, problems } = problemList();
  for (const { name, versions } of nights)
    for (const sleep of versions) {
      const { sleepLevelsMap: map, startTimeInSeconds: start, durationInSeconds: length } = sleep;
      const levels = Object.values(map)
        .flat()
        .sort((a, b) => a.startTimeInSeconds - b.startTimeInSeconds);
      const apart = levels.every((level, index) => {
        return level.startTimeInSeconds >= (levels[index - 1]?.endTimeInSeconds ?? start);
      });
      const of = (stage: keyof typeof map) =>
        sum(map[stage].map((level) => level.endTimeInSeconds - level.startTimeInSeconds));
      expect(apart, `overlap in ${name}`);
      expect(of('deep') === sleep.deepSleepDurationInSeconds, `deep of ${name}`);
      expect(of('light') === sleep.lightSleepDurationInSeconds, `light of ${name}`);
      expect(of('rem') === sleep.remSleepInSeconds, `REM of ${name}`);
      expect(of('awake') === sleep.awakeDurationInSeconds, `awake of ${name}`);
      const asleep = of('deep') + of('light') + of('rem');
      expect(length === asleep + sleep.unmeasurableSleepInSeconds, `length of ${name}`);
      expect(levels.at(-1)?.endTimeInSeconds === start + length + of('awake'), `end of ${name}`);
    }
  t.same(problems, []);
  t.ok(nights.some(({ versions }) => versions.some((one) => one.unmeasurableSleepInSeconds > 0)));
});

t.test('oxygen and respiration are plausible for sleep and within the night', async (t) => {
  const { expect, problems } = problemList();
  for (const { name, versions } of nights)
    for (const sleep of versions) {
      const { timeOffsetSleepSpo2: oxygen, timeOffsetSleepRespiration: breath } = sleep;
      const inBed = sleep.durationInSeconds + sleep.awakeDurationInSeconds;
      expect(isOffsetMap(oxygen, inBed) && isOffsetMap(breath, inBed), `keys of ${name}`);
      expect(sleep.startTimeInSeconds % 60 === 0, `start of ${name}`);
      expect(
        [oxygen, breath].every((map) => Object.keys(map).every((key) => Number(key) % 60 === 0)),
        `pace of ${name}`,
      );
      const fit = Object.values(oxygen).every((value) => accepts('oxygen_saturation', value) && value > 88);
      expect(fit && Object.keys(oxygen).length > 150, `oxygen of ${name}`);
      expect(
        Object.values(breath).every((value) => value > 9 && value < 20),
        `breath of ${name}`,
      );
      expect(sleep.overallSleepScore.value > 0 && sleep.overallSleepScore.value <= 100, `score of ${name}`);
    }
  t.same(problems, []);
});

t.test('a tentative sleep contains no minute outside of the final one', async (t) => {
  const { expect, problems } = problemList();
  for (const { name, versions } of nights) {
    const final = versions.at(-1);
    const [first] = versions;
    const later = (first?.startTimeInSeconds ?? 0) - (final?.startTimeInSeconds ?? 0);
    expect(
      later >= 0 && (first?.durationInSeconds ?? 0) <= (final?.durationInSeconds ?? 0),
      `span of ${name}`,
    );
    for (const field of ['timeOffsetSleepSpo2', 'timeOffsetSleepRespiration'] as const) {
      const values = Object.entries(first?.[field] ?? {});
      const kept = values.every(([key, value]) => final?.[field][String(Number(key) + later)] === value);
      expect(kept, `${field} of ${name}`);
    }
  }
  t.same(problems, []);
});

t.test('a sleep over a change of the clocks has the offset of falling asleep', async (t) => {
  const notes = notificationsOf(dayOf('power-cyclist', '2026-03-29'), { types: ['sleeps'], nowMs: laterMs });
  const night = notes.flatMap(({ body }) => body.sleeps ?? []).at(-1);
  t.match(night, { calendarDate: '2026-03-29', startTimeOffsetInSeconds: 7200 });
});

t.test('a nap is sent with the sleep of its day after its end', async (t) => {
  const withNaps = nights.filter(({ day }) => day.naps.length > 0);
  t.ok(withNaps.length >= 2);
  for (const { day, name, versions } of withNaps) {
    const napStartTimeInSeconds = (day.naps[0]?.startMs ?? 0) / 1000;
    t.same(versions[0]?.naps, [], name);
    t.match(versions.at(-1)?.naps, [{ napStartTimeInSeconds, napValidation: 'DEVICE' }]);
    const offset = 60 * offsetMinutesAt(day.user.traits.zone, napStartTimeInSeconds * 1000);
    t.equal(versions.at(-1)?.naps[0]?.napOffsetInSeconds, offset);
  }
});

const workouts = sent.flatMap(({ day, bodies }) =>
  bodies.flatMap(({ activities = [], activityDetails = [] }) =>
    activities.map((activity, index) => ({ day, activity, details: activityDetails[index] })),
  ),
);

t.test('workouts of several kinds have unique ids above 2^32', async (t) => {
  t.ok(workouts.length > 30);
  t.ok(new Set(workouts.map(({ activity }) => activity.activityType)).size >= 6);
  const ids = workouts.map(({ activity }) => activity.activityId);
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every((id) => Number.isSafeInteger(id) && id > 2 ** 32));
});

t.test("a workout's heart rates are those of the day", async (t) => {
  const { expect, problems } = problemList();
  for (const { day, activity } of workouts) {
    const start = activity.startTimeInSeconds - day.startMs / 1000;
    const inside = day.heart_rates.filter((rate, tick) => {
      return rate > 0 && tick * 15 >= start && tick * 15 < start + activity.durationInSeconds;
    });
    expect(
      activity.maxHeartRateInBeatsPerMinute === Math.max(...inside),
      `highest of ${activity.activityId}`,
    );
    const mean = Math.round(sum(inside) / inside.length);
    expect(activity.averageHeartRateInBeatsPerMinute === mean, `mean of ${activity.activityId}`);
  }
  t.same(problems, []);
});

t.test('pace and speed follow from distance and time', async (t) => {
  const { expect, problems } = problemList();
  let paced = 0;
  for (const { activity } of workouts) {
    const { distanceInMeters: meters, durationInSeconds: seconds } = activity;
    if (meters === undefined) continue;
    const speed = activity.averageSpeedInMetersPerSecond ?? 0;
    expect(Math.abs(speed - meters / seconds) < 0.001, `speed of ${activity.activityId}`);
    if (activity.averagePaceInMinutesPerKilometer === undefined) continue;
    paced++;
    const pace = seconds / 60 / (meters / 1000);
    expect(
      Math.abs(activity.averagePaceInMinutesPerKilometer - pace) < 0.01,
      `pace of ${activity.activityId}`,
    );
  }
  t.same(problems, []);
  t.ok(paced > 10 && workouts.some(({ activity }) => activity.distanceInMeters === undefined));
});

t.test('the details of a workout have a sample per second, with heart rates up to its maximum', async (t) => {
  const { expect, problems } = problemList();
  for (const { activity, details } of workouts) {
    const samples = details?.samples ?? [];
    const times = samples.map(({ startTimeInSeconds = 0 }) => startTimeInSeconds);
    expect(details?.activityId === activity.activityId, `details of ${activity.activityId}`);
    expect(Math.abs(samples.length - activity.durationInSeconds) <= 1, `seconds of ${activity.activityId}`);
    expect(
      times.every((time, index) => index === 0 || time === (times[index - 1] ?? 0) + 1),
      `order of ${activity.activityId}`,
    );
    const most = activity.maxHeartRateInBeatsPerMinute ?? 0;
    expect(
      samples.every(({ heartRate = 0 }) => heartRate <= most),
      `hearts of ${activity.activityId}`,
    );
  }
  t.same(problems, []);
});

t.test('only rides with a power meter have power', async (t) => {
  const powered = workouts.filter(({ details }) => details?.samples.some((one) => 'powerInWatts' in one));
  t.same([...new Set(powered.map(({ day }) => day.user.traits.key))], ['power-cyclist']);
  const watts = powered.flatMap(({ details }) => details?.samples.map((one) => one.powerInWatts) ?? []);
  t.ok(watts.every((one) => accepts('power', one)));
  const mean = sum(watts.map((one) => one ?? 0)) / watts.length;
  t.ok(mean > 120 && mean < 320, `${mean}`);
});
