import t from 'tap';
import { sameTime } from '../../console/src/parts/person/overlap.ts';
import {
  axisOf,
  clockSpan,
  datesOf,
  longestOf,
  meansOf,
  monthAfter,
  nightsOf,
  type Session,
  wakingDay,
} from '../../console/src/parts/person/sleep/nights.ts';
import { spansOf, stageTotals, timingsOf } from '../../console/src/parts/person/sleep/stages.ts';

const watch = { provider: 'devicemaker', device: 'Band 4' };
const ring = { provider: 'oura', device: 'Oura Ring' };

function session(start_time: string, end_time: string, rest: Partial<Session> = {}): Session {
  return {
    ...{ id: start_time, start_time, end_time, source: watch, is_nap: false, zone_offset: '+02:00' },
    duration_seconds: (Date.parse(end_time) - Date.parse(start_time)) / 1000,
    ...{ efficiency_percent: null, stages_timeline: null },
    ...rest,
  };
}

const night = session('2026-11-01T21:30:00Z', '2026-11-02T05:00:00Z');
const nap = session('2026-11-02T12:00:00Z', '2026-11-02T13:00:00Z', { is_nap: true });
const ofRing = session('2026-11-01T21:40:00Z', '2026-11-02T05:10:00Z', { source: ring, id: 'ring' });
const late = session('2026-10-31T22:30:00Z', '2026-11-01T06:00:00Z');
const before = session('2026-10-30T22:30:00Z', '2026-10-31T06:00:00Z');

t.test('a night belongs to the local day of waking, and to its month', async (t) => {
  t.equal(wakingDay(session('2026-11-01T14:00:00Z', '2026-11-01T22:30:00Z'), null), '2026-11-02');
  t.equal(
    wakingDay(session('2026-11-01T14:00:00Z', '2026-11-01T22:30:00Z', { zone_offset: null }), 'UTC'),
    '2026-11-01',
  );
  const nights = nightsOf([before, night, late], '2026-11', null, new Map());
  t.strictSame(
    nights.map(({ date }) => date),
    ['2026-11-02', '2026-11-01'],
  );
});

t.test('the source that counts is shown with its naps, and the others are named', async (t) => {
  const ids = (chosen: Map<string, typeof watch>) =>
    nightsOf([ofRing, nap, night], '2026-11', null, chosen).map(({ shown, others }) => [
      shown.map(({ id }) => id),
      others.map(({ id }) => id),
    ]);
  t.strictSame(ids(new Map([['2026-11-02', watch]])), [[[night.id, nap.id], ['ring']]]);
  t.strictSame(ids(new Map([['2026-11-02', ring]])), [[['ring'], [night.id, nap.id]]]);
  t.equal(ids(new Map()).length, 1, 'without a summary the longest sleep counts');
  t.equal(longestOf([nap, night])?.id, night.id);
  t.equal(longestOf([nap])?.id, nap.id);
});

t.test('bars are in minutes from midnight of the day of waking, on an axis that contains all', async (t) => {
  t.strictSame(clockSpan(night, null), { from: -30, to: 420 });
  t.strictSame(clockSpan(nap, null), { from: 840, to: 900 });
  t.strictSame(axisOf([clockSpan(night, null)]), { from: -360, to: 720 });
  t.strictSame(axisOf([clockSpan(night, null), clockSpan(nap, null)]), { from: -360, to: 900 });
  t.strictSame(axisOf([{ from: -370, to: 100 }]), { from: -420, to: 720 });
});

t.test('the means of a month leave naps out', async (t) => {
  const nights = nightsOf([night, nap, late], '2026-11', null, new Map());
  t.strictSame(meansOf(nights, null), { count: 2, seconds: 27_000, bed: 0, wake: 450 });
  t.equal(meansOf(nightsOf([nap], '2026-11', null, new Map()), null), null);
});

t.test('months and their dates', async (t) => {
  t.strictSame([monthAfter('2026-01', -1), monthAfter('2026-12', 1)], ['2025-12', '2027-01']);
  t.equal(datesOf('2028-02', '2028-12-31').length, 29);
  t.strictSame(datesOf('2026-11', '2026-11-02'), ['2026-11-02', '2026-11-01']);
});

const at = (minute: number) => new Date(Date.UTC(2026, 10, 2, 0, minute)).toISOString();
const interval = (stage: 'awake' | 'light' | 'deep' | 'rem', from: number, to: number) => ({
  ...{ stage, start_time: at(from), end_time: at(to) },
});
const timeline = [
  interval('awake', 0, 10),
  interval('light', 10, 40),
  interval('deep', 40, 70),
  interval('awake', 70, 75),
  interval('rem', 75, 95),
  interval('awake', 95, 100),
];
const range = { from: Date.parse(at(0)), to: Date.parse(at(100)) };
const noTotals = { awake_minutes: null, light_minutes: null, deep_minutes: null, rem_minutes: null };

t.test('the timings of a night are those of its stages', async (t) => {
  t.strictSame(timingsOf(range, spansOf(timeline)), {
    ...{ inBed: 6000, asleep: 4800, latency: 600, wakeAfterOnset: 300, wakings: 1, longestAsleep: 3600 },
  });
  const direct = timingsOf({ ...range, from: Date.parse(at(10)) }, spansOf(timeline.slice(1)));
  t.equal(direct.latency, null, 'a session that begins with sleep says nothing of falling asleep');
  t.strictSame(timingsOf(range, []), {
    ...{ inBed: 6000, asleep: null, latency: null, wakeAfterOnset: null, wakings: null, longestAsleep: null },
  });
});

t.test('stages are added up, and without intervals the totals of the provider are shown', async (t) => {
  t.strictSame(stageTotals(spansOf(timeline), noTotals), [
    { stage: 'deep', minutes: 30, part: 0.3 },
    { stage: 'light', minutes: 30, part: 0.3 },
    { stage: 'rem', minutes: 20, part: 0.2 },
    { stage: 'awake', minutes: 20, part: 0.2 },
  ]);
  t.strictSame(stageTotals([], { ...noTotals, deep_minutes: 60, light_minutes: 180 }), [
    { stage: 'deep', minutes: 60, part: 0.25 },
    { stage: 'light', minutes: 180, part: 0.75 },
  ]);
  t.strictSame(stageTotals([], noTotals), []);
});

t.test('records of the same time overlap with half of the shorter one', async (t) => {
  t.strictSame(
    sameTime(night, [night, ofRing, nap, late]).map(({ id }) => id),
    ['ring'],
  );
  const half = session('2026-11-02T04:00:00Z', '2026-11-02T06:00:00Z');
  const less = session('2026-11-02T04:01:00Z', '2026-11-02T06:00:00Z');
  t.strictSame(
    sameTime(night, [half, less]).map(({ id }) => id),
    [half.id],
  );
});
