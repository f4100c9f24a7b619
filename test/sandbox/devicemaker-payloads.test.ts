import { createHash } from 'node:crypto';
import t from 'tap';
import { dailyOf } from '../../sandbox/devicemaker/payloads/dailies.ts';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { instantOf, offsetMinutesAt } from '../../sandbox/simulation/zone.ts';
import { dayOf, laterMs, notificationsOf, sentDays } from './devicemaker-days.ts';

const sent = sentDays();

// The days were checked for what is plausible. Another hash is a change of the simulation, to be checked again.
t.test('the bytes of the days of a seed do not change', async (t) => {
  const hash = createHash('sha256');
  for (const { bodies } of sent) hash.update(JSON.stringify(bodies));
  t.equal(hash.digest('hex').slice(0, 16), '8e1c3ca0344487d0');
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
  const wrong = sent.flatMap(({ day, name, bodies }) =>
    bodies
      .flatMap((body) => Object.values(body))
      .filter(
        (items) =>
          items.some(({ userId }) => userId !== day.user.account_id) ||
          new Set(items.map(({ summaryId }) => summaryId)).size < items.length,
      )
      .map(() => name),
  );
  t.same(wrong, []);
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

t.test('the values of a day at noon are the beginning of those at its end', async (t) => {
  for (const { name, bodies } of sent.filter((_, index) => index % 4 === 0)) {
    const [noon, , whole] = bodies.flatMap(({ dailies = [] }) => dailies);
    const rates = Object.entries(whole?.timeOffsetHeartRateSamples ?? {});
    const early = rates.filter(([offset]) => Number(offset) < (noon?.durationInSeconds ?? 0));
    t.same(noon?.timeOffsetHeartRateSamples ?? {}, Object.fromEntries(early), name);
    t.ok(early.length < rates.length);
  }
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

const nights = sent
  .filter(({ day }) => day.sleep !== null)
  .map(({ day, name, bodies }) => ({ day, name, versions: bodies.flatMap(({ sleeps = [] }) => sleeps) }));

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
