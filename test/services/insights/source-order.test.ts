import t from 'tap';
import { dateAfter } from '../../../domain/insights/day-results.ts';
import { recompute } from '../../../services/insights/work/recompute.ts';
import { until } from '../../support/until.ts';
import { phone, steps, watch } from '../timeseries/interval-items.ts';
import { at, block, item } from '../timeseries/items.ts';
import { ofType } from '../webhooks/setting.ts';
import { firstDate, startInsights } from './setting.ts';

const s = await startInsights(t);
const dates = [0, 1, 2].map((index) => dateAfter(firstDate, index));

/** The value of a measure and its provider, day by day. */
async function valuesOf(userId: string, measure: string) {
  const rows = await s.database.query<{ value: number; provider: string }>(
    `select (facts -> 'values' -> $2 -> 0)::float8 as value, facts -> 'values' -> $2 ->> 1 as provider
     from insights.day where user_id = $1 order by date`,
    [userId, measure],
  );
  return rows.map(({ value, provider }) => [value, provider]);
}

const rates = (bpm: number) =>
  item({
    key: `rates ${bpm}`,
    samples: [
      block(
        'resting_heart_rate',
        dates.map((date) => [at('08:00:00', date), bpm]),
      ),
    ],
  });

t.test('with another SOURCE_PRIORITY the inputs of all days are read anew, once', async (t) => {
  const id = await s.user();
  await s.store(id, [rates(50)], 'devicemaker');
  await s.store(id, [rates(60)], 'oura');
  await s.work(id);
  const ofDevicemaker = dates.map(() => [50, 'devicemaker']);
  t.same(await valuesOf(id, 'resting_heart_rate'), ofDevicemaker);
  const before = await s.settled(id);
  const other = { ...s.own, priority: ['oura', 'devicemaker'] };
  t.same((await recompute(other, id)).toSorted(), dates);
  t.same(
    await valuesOf(id, 'resting_heart_rate'),
    dates.map(() => [60, 'oura']),
  );
  t.same(await recompute(other, id), [], 'nothing is due');
  t.same(ofType((await s.settled(id)).slice(before.length), 'insight.updated'), [], 'past days are no news');
  const query = { user_id: id, start_date: firstDate, end_date: dates[2] ?? '', explain: true };
  const { data } = await s.call('insights.baselines', query);
  t.match(
    data.map(({ inputs }) => inputs),
    dates.map(() => [{ source: { provider: 'devicemaker' } }]),
    'a read by a process with the former order computes with that one',
  );
  t.same(await valuesOf(id, 'resting_heart_rate'), ofDevicemaker);
});

t.test('days whose samples are gone keep their inputs when the order changes', async (t) => {
  const id = await s.user();
  await s.store(id, [rates(50)]);
  await s.work(id);
  await s.database.query(
    `delete from timeseries.sample_local_day using timeseries.series s
     where s.id = series_id and s.user_id = $1 and date = $2`,
    [id, dates[0]],
  );
  await recompute({ ...s.own, priority: ['oura', 'devicemaker'] }, id);
  t.equal((await s.days(id)).length, dates.length);
});

t.test('a changed order of sources of a user changes the days that depend on it', async (t) => {
  const id = await s.user();
  const intervals = dates.flatMap((date) => [
    steps(at('09:00:00', date), 60, 100),
    steps(at('09:00:00', date), 60, 200, { source: 1 }),
  ]);
  await s.call('timeseries.storeIntervals', {
    ...{ user_id: id, provider: 'devicemaker', sources: [watch, phone], intervals },
  });
  const stepsOf = async () => (await valuesOf(id, 'steps')).map(([value]) => value);
  const settled = () =>
    until(async () => {
      const kind = 'timeseries.interval_settlement';
      return (await s.database.query('select from jobs.job where kind = $1', [kind])).length === 0;
    });
  await settled();
  await s.work(id);
  const [first] = await stepsOf();
  const device_types = first === 100 ? (['phone', 'watch'] as const) : (['watch', 'phone'] as const);
  await s.call('timeseries.changeSourcePriority', { user_id: id, device_types: [...device_types] });
  await settled();
  t.same(await s.work(id), dates);
  t.same(
    await stepsOf(),
    dates.map(() => (first === 100 ? 200 : 100)),
  );
});
