import t from 'tap';
import { countedEpochs, dateByRecord, sedentarySeconds } from '../../sandbox/devicemaker/expected-epochs.ts';
import { epochs } from '../../sandbox/devicemaker/payloads/epochs.ts';
import { dayOf, laterMs } from './devicemaker-days.ts';

const day = dayOf('power-cyclist', '2026-10-25');
const span = { startMs: day.startMs, endMs: laterMs };
const [template] = epochs(day, span);

const part = (activityType: string, active: number, steps: number) => {
  if (template === undefined) throw new Error('a day without slots');
  return { ...template, durationInSeconds: 900, activityType, activeTimeInSeconds: active, steps };
};
const shown = (...deliveries: ReturnType<typeof part>[]) =>
  countedEpochs(deliveries)
    .map(({ activityType, steps }) => `${activityType} ${steps}`)
    .sort();

t.test('the last version of a part of a slot counts', async (t) => {
  t.same(shown(part('WALKING', 300, 1), part('CYCLING', 600, 2), part('WALKING', 300, 3)), [
    'CYCLING 2',
    'WALKING 3',
  ]);
});

t.test('of parts that exceed a slot the newest count', async (t) => {
  const [walk, ride] = [part('WALKING', 600, 1), part('CYCLING', 600, 2)];
  t.same(shown(walk, ride), ['CYCLING 2']);
  t.same(shown(ride, walk), ['WALKING 1']);
  t.same(shown(walk, ride, walk), ['CYCLING 2'], 'a repetition is no newer version');
  t.same(shown(walk, ride, part('CYCLING', 300, 4)), ['CYCLING 4', 'WALKING 1']);
  t.same(shown(part('RUNNING', 300, 5), part('WALKING', 900, 6), part('CYCLING', 600, 7)), [
    'CYCLING 7',
    'RUNNING 5',
  ]);
});

t.test('a slot belongs to the record that covers it', async (t) => {
  const days = [
    { date: '2026-10-25', start_second: 0, duration_seconds: 25 * 3600 },
    { date: '2026-10-26', start_second: 24 * 3600, duration_seconds: 86_400 },
  ];
  t.equal(dateByRecord(days, 24 * 3600 - 1), '2026-10-25');
  t.equal(dateByRecord(days, 24 * 3600), '2026-10-26', 'of two records the later start counts');
  t.equal(dateByRecord(days, 48 * 3600), null);
  t.equal(dateByRecord(days.slice(0, 1), 25 * 3600 - 1), '2026-10-25');
});

t.test('sedentary time is that of the counted slots within the record', async (t) => {
  const seated = { ...part('SEDENTARY', 600, 0), intensity: 'SEDENTARY' as const };
  const active = { ...part('WALKING', 300, 9), intensity: 'ACTIVE' as const };
  const start = seated.startTimeInSeconds;
  const record = { date: '2026-10-25', start_second: start, duration_seconds: 900 };
  const outside = { ...seated, startTimeInSeconds: start + 900 };
  t.same([...sedentarySeconds([seated, active, outside], [record])], [['2026-10-25', 600]]);
});
