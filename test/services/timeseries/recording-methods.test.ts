import t from 'tap';
import type { Sample } from '../../../contracts/timeseries/schemas.ts';
import { withMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { type ChangeRow, eventOf } from '../../../services/webhooks/rules/event-of-change.ts';
import { steps } from './interval-items.ts';
import { at, block, item } from './items.ts';
import { setUp } from './setting.ts';

const { call, database, store, storeIntervals, userId } = await setUp(t);
const [nine, ten] = [at('09:00:00'), at('10:00:00')];
const day = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01' };
const spot = withMethod('Watch 7', 'on_demand');
const typed = withMethod('Watch 7', 'manual');

// A measurement on demand in the same second as that of a night.
await store([
  item({
    samples: [
      block('oxygen_saturation', [
        [nine, 95],
        [ten, 96],
      ]),
    ],
  }), // prettier-ignore
  item({ samples: [block('oxygen_saturation', [[nine, 99]], { device: spot })] }),
  item({ samples: [block('weight', [[ten, 70]], { device: typed })] }),
]);

const shown = ({ timestamp, value, source, recording_method }: Sample) => [
  ...[timestamp, value, source.device],
  recording_method ?? null,
];

async function samples(query: { readonly types: SeriesType[]; readonly resolution?: '1min' | '1hour' }) {
  const { data } = await call('timeseries.samples', { ...day, resolution: 'raw', limit: 100, ...query });
  return data;
}

t.test('a sample has its method beside its source, and one without a method has no field', async (t) => {
  const read = await samples({ types: ['oxygen_saturation', 'weight'] });
  t.same(read.map(shown), [
    ['2026-03-01T09:00:00Z', 95, 'Watch 7', null],
    ['2026-03-01T09:00:00Z', 99, 'Watch 7', 'on_demand'],
    ['2026-03-01T10:00:00Z', 96, 'Watch 7', null],
    ['2026-03-01T10:00:00Z', 70, 'Watch 7', 'manual'],
  ]);
  t.same(
    read.filter((one) => Object.hasOwn(one, 'recording_method')).map(({ value }) => value),
    [99, 70],
  );
  t.ok(read.every(({ source }) => Object.keys(source).join() === 'provider,device'));
});

t.test('each method has its own buckets', async (t) => {
  for (const resolution of ['1min', '1hour'] as const)
    t.same((await samples({ types: ['oxygen_saturation'], resolution })).map(shown), [
      ['2026-03-01T09:00:00Z', 95, 'Watch 7', null],
      ['2026-03-01T09:00:00Z', 99, 'Watch 7', 'on_demand'],
      ['2026-03-01T10:00:00Z', 96, 'Watch 7', null],
    ]);
});

t.test('charts, exports and downloads have the method', async (t) => {
  const expected = [undefined, 'on_demand', 'manual'];
  const of = (list: readonly { recording_method?: string | undefined }[]) =>
    list.map(({ recording_method }) => recording_method);
  const query = { ...day, max_points: 100, aggregates: ['value' as const] };
  const { series } = await call('timeseries.chart', { ...query, types: ['oxygen_saturation', 'weight'] });
  t.same(of(series), expected);
  t.same(of(await call('timeseries.exportSeries', { user_id: userId })), expected);
  const range = { user_id: userId, start_ms: nine, end_ms: ten + 1, resolution: 'raw' as const };
  t.same(of(await call('timeseries.seriesInRange', { ...range, types: null })), expected);
});

t.test('intervals that were typed in have the method, and their device has its name', async (t) => {
  const phone = { device: 'Phone 15', device_id: 'p-1', app: 'Health' };
  const long = { device: 'P'.repeat(100), device_id: null, app: null };
  await storeIntervals(
    [
      { ...phone, device_type: 'phone' },
      { ...phone, device_type: 'manual' },
      { ...long, device_type: 'manual' },
      { ...long, device_type: 'manual', app: 'Other' },
      { ...long, device_type: 'manual', app: 'Third' },
    ],
    [0, 1, 2, 3, 4].map((source) => steps(at('11:00:00') + source * 3_600_000, 10, 100, { source })),
  );
  const read = await samples({ types: ['steps'] });
  t.same(read.slice(0, 2).map(shown), [
    ['2026-03-01T11:00:00Z', 100, 'Phone 15', null],
    ['2026-03-01T12:00:00Z', 100, 'Phone 15', 'manual'],
  ]);
  t.same(
    read.slice(2).map(({ recording_method }) => recording_method),
    ['manual', 'manual', 'manual'],
  );
});

t.test('a sample with a method has no more columns than another one', async (t) => {
  const columns = await database.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'timeseries' and table_name = 'sample'",
  );
  t.same(columns.map(({ name }) => name).toSorted(), [
    'placed_by',
    'series_id',
    'ts',
    'value',
    'zone_offset_minutes',
  ]);
});

t.test('an event of a changed series names the device and the method', async (t) => {
  const row: ChangeRow = {
    ...{ id: '1', user_id: userId, external_user_id: null, sequence: '1', type: 'timeseries.updated' },
    ...{ object: 'x', historical: false, first_at: null, last_at: null, n: '1', recorded_at: new Date(ten) },
    data: { series_type: 'weight', provider: 'withings', device: typed },
  };
  const shownAs = { providerAs: (provider: string) => provider, baseUrl: '' };
  t.match(eventOf(row, shownAs).data, { device: 'Watch 7', recording_method: 'manual' });
  const plain = eventOf({ ...row, data: { ...row.data, device: 'Watch 7' } }, shownAs).data;
  t.equal(plain.device, 'Watch 7');
  t.notOk(Object.hasOwn(plain, 'recording_method'));
});
