import t from 'tap';
import { slowestSentence } from '../../console/src/parts/home/latency-sentence.ts';
import { bucketsOf, receivedSentence } from '../../console/src/parts/home/received.ts';
import { evenEnd, latencyTicks, placeOf, shortTime } from '../../console/src/parts/home/scale.ts';

const clock = (at: string) => at.slice(11, 16);

t.test('all providers are summed in each bucket', async (t) => {
  const all = {
    ...{ start_time: '2026-01-05T11:00:00Z', bucket_seconds: 600 },
    providers: {
      oura: { deliveries: [1, 0, 2], samples: [10, 0, 0] },
      whoop: { deliveries: [0, 0, 3], samples: [5, 0, 70] },
    },
  };
  const buckets = bucketsOf(all, 'samples');
  t.strictSame(buckets, [
    { at: '2026-01-05T11:00:00.000Z', value: 15 },
    { at: '2026-01-05T11:10:00.000Z', value: 0 },
    { at: '2026-01-05T11:20:00.000Z', value: 70 },
  ]);
  t.equal(receivedSentence(buckets, 'hour', clock), '85 in the last hour, most at 11:20 (70)');
  t.equal(
    receivedSentence(bucketsOf(all, 'deliveries'), 'day', clock),
    '6 in the last day, most at 11:20 (5)',
  );
  t.equal(receivedSentence([], 'day', clock), 'none in the last day');
  t.equal(
    receivedSentence([{ at: '2026-01-05T11:20:00Z', value: 0 }], 'hour', clock),
    'none in the last hour',
  );
});

t.test(
  'each step of the axis of times is ten times as long, and its ends hold what lies outside',
  async (t) => {
    const places = latencyTicks.map(({ at }) => at);
    const steps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
    for (const step of steps) t.ok(Math.abs(step - (steps[0] ?? 0)) < 1e-9, `${step}`);
    t.ok((steps[0] ?? 0) > 0.1);
    t.strictSame([placeOf(0), placeOf(10), placeOf(600_000), placeOf(9_000_000)], [0, 0, 1, 1]);
  },
);

t.test('times are short', async (t) => {
  t.strictSame([45, 999, 1234, 45_400, 200_000].map(shortTime), [
    '45 ms',
    '999 ms',
    '1.2 s',
    '45 s',
    '3 min',
  ]);
});

t.test('axes end at even numbers', async (t) => {
  t.strictSame(
    [0, 1, 1.5, 2, 3, 7, 10, 11, 480, 12_000].map(evenEnd),
    [1, 1, 2, 2, 5, 10, 10, 20, 500, 20_000],
  );
});

t.test('the slowest provider is named', async (t) => {
  const times = (provider: 'oura' | 'whoop', p99_ms: number) => ({
    provider,
    deliveries: 9,
    p50_ms: 45,
    p99_ms,
  });
  t.match(
    slowestSentence([times('oura', 90), times('whoop', 2100)]),
    /^\w+ takes longest: .* 45 ms after receipt \(dot\), 99 of 100 after 2\.1 s \(ring\)\.$/,
  );
  t.equal(slowestSentence([]), 'No delivery was processed yet.');
});
