import t from 'tap';
import { gapText, kindsByState } from '../../console/src/freshness-texts.ts';

const now = '2026-01-05T00:00:00Z';
const kind = <Kind extends string, State extends string>(data_type: Kind, state: State) => ({
  ...{ data_type, state, since: now, last_arrival_at: now, last_data_at: now },
  ...{ expected_within_seconds: 172_800, repairs: 0, repaired_at: null },
});

t.test('the kinds of data that are not fresh are named by their state, the worst first', async (t) => {
  const data_types = [
    ...[kind('heart_rate', 'late'), kind('sleep', 'stale'), kind('stress', 'paused')],
    ...[kind('body', 'silent'), kind('activities', 'late'), kind('daily_activity', 'fresh')],
  ];
  t.equal(
    kindsByState({ data_types }),
    'Stale: sleep. Late: heart rate, workouts. Never arrived: weight and body composition. Paused: stress and recovery.',
  );
  t.equal(kindsByState({ data_types: [kind('sleep', 'fresh')] }), '');
});

t.test('a gap names its first and its last day, or its only one', async (t) => {
  const gap = { data_type: 'sleep', first_date: '2026-01-03', last_date: '2026-01-05' } as const;
  t.equal(gapText(gap), 'sleep: 2026-01-03 to 2026-01-05');
  t.equal(gapText({ ...gap, last_date: '2026-01-03' }), 'sleep: 2026-01-03');
});
