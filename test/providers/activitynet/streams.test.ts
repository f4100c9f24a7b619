import t from 'tap';
import { streamSamples } from '../../../providers/activitynet/normalise/streams.ts';
import { runStart } from '../../fixtures/activitynet/activities.ts';

const start_ms = Date.parse(runStart);
const nowMs = start_ms + 86_400_000;
const clock = { start_ms, device: 'Watch', zone_offset_minutes: -420 };
const read = (given: unknown) => streamSamples(given, clock, nowMs);

t.test('nulls, unequal lengths, values out of range and odd times cost themselves only', (t) => {
  const blocks = read({
    time: { data: [0, 2, 1, null, -1, 'x', 5, 5, 7, 1e9] },
    heartrate: { data: [100, null, 101, 102, 103, 104, 0, 999, '80', 81] },
    watts: { data: [250] },
    cadence: { data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] },
    temp: { data: [] },
    velocity_smooth: null,
  });
  t.same(
    blocks.map(({ type, at, values }) => [type, at, values]),
    [
      ['heart_rate', [0, 1000], [100, 101]],
      ['cadence', [0, 1000, 2000, 5000, 7000], [1, 3, 2, 8, 9]],
      ['power', [0], [250]],
    ],
  );
  t.end();
});

t.test('without a time there is nothing', (t) => {
  for (const given of [null, [], 'x', {}, { heartrate: { data: [1] } }, { time: { data: 'x' }, watts: {} }])
    t.same(read(given), []);
  t.end();
});

t.test('what lies more than a day ahead is left out', (t) => {
  const ahead = { time: { data: [0, 172_800, 172_801] }, heartrate: { data: [60, 61, 62] } };
  t.same(read(ahead)[0]?.values, [60, 61]);
  t.end();
});
