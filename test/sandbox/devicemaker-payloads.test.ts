import { createHash } from 'node:crypto';
import t from 'tap';
import { accepts } from '../../domain/records/series.ts';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { instantOf } from '../../sandbox/simulation/zone.ts';
import { dayOf, isOffsetMap, laterMs, notificationsOf, sentDays } from './devicemaker-payloads/days.ts';
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
