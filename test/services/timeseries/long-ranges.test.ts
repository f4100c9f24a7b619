import t from 'tap';
import type { Sample } from '../../../contracts/timeseries/schemas.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { likelyBound } from '../../../services/timeseries/rules/scan-range.ts';
import { block, item } from './items.ts';
import { expected, inOrder, isClose, type ModelBucket, type ModelSample } from './model.ts';
import { pageThrough, setUp } from './setting.ts';

const start = Date.UTC(2024, 0, 1);
const at = (day: number, minutes = 0) => start + day * dayMs + minutes * minuteMs;

/** Two years with gaps of months, clusters, and a time with a value a day. */
function samples(): ModelSample[] {
  const times = [
    ...Array.from({ length: 120 }, (_, index) => at(3, index * 7 + 0.35)),
    ...Array.from({ length: 60 }, (_, index) => at(215 + index, 611)),
    ...Array.from({ length: 90 }, (_, index) => at(580, index * 11)),
    at(729, 1439),
  ];
  return times.flatMap((ms, index) => [
    { type: 'heart_rate', device: 'Watch 7', ms, value: 50 + (index % 90) },
    ...(index % 3 === 0 ? [{ type: 'steps', device: 'Watch 7', ms, value: index }] : []),
  ]);
}

function asModel({ timestamp, type, source, value }: Sample): ModelBucket {
  return { timestamp: Date.parse(timestamp), type, device: source.device, value };
}

t.test('pages over years with gaps have each item once in both directions', async (t) => {
  const { store, call, userId } = await setUp(t);
  const all = samples();
  for (const type of ['heart_rate', 'steps'] as const) {
    const own = all.filter((one) => one.type === type).map(({ ms, value }) => [ms, value] as const);
    for (let from = 0; from < own.length; from += 150)
      await store([item({ samples: [block(type, own.slice(from, from + 150))] })]);
  }
  const range = { start_time: '2024-01-01T00:00:00Z', end_time: '2026-01-01T00:00:00Z' };
  for (const resolution of ['raw', '1min', '5min', '15min', '1hour'] as const)
    for (const limit of [7, 100]) {
      const { forward, backward, items } = await pageThrough((cursor) =>
        call('timeseries.samples', {
          ...{ user_id: userId, ...range, resolution, limit },
          ...(cursor === undefined ? {} : { cursor }),
        }),
      );
      const wanted = inOrder(expected(all, start, at(731), resolution));
      const got = inOrder(items.map(asModel));
      const title = `${resolution} by ${limit}`;
      t.equal(got.length, wanted.length, title);
      const differs = (one: ModelBucket, other: ModelBucket | undefined) =>
        one.timestamp !== other?.timestamp || one.type !== other.type || !isClose(one.value, other.value);
      t.strictSame(
        got.filter((one, index) => differs(one, wanted[index])),
        [],
        title,
      );
      t.strictSame(
        backward.map(({ data }) => data),
        forward.slice(0, -1).map(({ data }) => data),
        `${title}: the same pages backward`,
      );
    }
});

t.test('a likely bound cuts no bucket in either direction, and is omitted without benefit', async (t) => {
  const [first, end] = [at(0) * 1000, at(730) * 1000];
  const reach = (direction: 'next' | 'previous') => ({ direction, series: [{ id: 1, first, end }] });
  const hourUs = 3_600_000_000;
  for (const total of [100, 5003, 777_777]) {
    const [next, previous] = [
      likelyBound(reach('next'), total, 51),
      likelyBound(reach('previous'), total, 51),
    ];
    if (total === 100) t.strictSame([next, previous], [null, null], 'few items: most of the range is needed');
    else t.strictSame([((next ?? 1) - first) % hourUs, (end - (previous ?? 1)) % hourUs], [0, 0]);
  }
  t.equal(likelyBound(reach('next'), 777_777, 51), at(10) * 1000, 'ten days at least');
  t.equal(likelyBound(reach('previous'), 777_777, 51), at(720) * 1000, 'and from the end');
  t.equal(likelyBound({ direction: 'next', series: [{ id: 1, first, end: at(19) * 1000 }] }, 9999, 51), null);
  t.equal(likelyBound({ direction: 'next', series: [] }, 0, 51), null);
});
