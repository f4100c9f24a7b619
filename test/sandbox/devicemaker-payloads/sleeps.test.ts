import t from 'tap';
import { accepts } from '../../../domain/records/series.ts';
import { offsetMinutesAt } from '../../../sandbox/simulation/zone.ts';
import { problemList } from '../problem-list.ts';
import { dayOf, isOffsetMap, laterMs, notificationsOf, sentDays, sum } from './days.ts';

const nights = sentDays()
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
