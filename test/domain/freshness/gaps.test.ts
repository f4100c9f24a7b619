import t from 'tap';
import { gapsOf } from '../../../domain/freshness/gaps.ts';
import { type FreshKind, kindOfChange, kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import { dayMs } from '../../../domain/time/time.ts';

const days = (...all: number[]) => new Set(all.map((day) => day * dayMs));

t.test('gaps lie within the days of a kind, where other data exists', async (t) => {
  const known = new Map<FreshKind, Set<number>>([
    ['sleep', days(1, 2, 5, 9)],
    ['daily_activity', days(0, 1, 2, 3, 4, 5, 7, 9, 10)],
    ['body', days(6)],
  ]);
  t.same(gapsOf(known, ['sleep', 'daily_activity', 'heart_rate']), [
    { kind: 'sleep', firstMs: 3 * dayMs, lastMs: 4 * dayMs },
    { kind: 'sleep', firstMs: 6 * dayMs, lastMs: 7 * dayMs },
    { kind: 'daily_activity', firstMs: 6 * dayMs, lastMs: 6 * dayMs },
  ]);
  t.same(gapsOf(known, []), []);
  t.same(gapsOf(new Map(), ['sleep']), []);
});

t.test('changes and reads have the same kinds', async (t) => {
  t.equal(kindOfChange('timeseries.updated', 'steps'), 'daily_activity');
  t.equal(kindOfChange('timeseries.updated', 'height'), null);
  t.equal(kindOfChange('workout.created', null), 'activities');
  t.equal(kindOfChange('sleep.updated', null), 'sleep');
  t.equal(kindOfChange('connection.created', null), null);
  t.equal(kindOfChange('timeseries.updated', 'blood_glucose'), 'glucose');
  t.equal(kindOfChange('score.updated', 'activity'), 'daily_activity');
  t.equal(kindOfChange('score.updated', 'readiness'), null);
  const replaces = { series: ['weight'], intervals: ['steps'], records: ['sleeps', 'scores'] } as const;
  t.same(kindsOfPulled({ replaces }), new Set(['body', 'daily_activity', 'sleep']));
});
