import t from 'tap';
import { phone, steps, watch } from '../timeseries/interval-items.ts';
import { ofType, startWebhooks } from './setting.ts';

const s = await startWebhooks(t);
const nine = Date.UTC(2026, 2, 1, 9);

t.test('intervals that are stored or deleted change their series and their day', async (t) => {
  const { id } = await s.call('users.create', {});
  const whose = { user_id: id, provider: 'devicemaker' as const };
  const one = steps(nine, 60, 600);
  const store = (intervals: (typeof one)[]) =>
    s.call('timeseries.storeIntervals', { ...whose, sources: [watch, phone], intervals });
  const counts = async () => {
    const changes = await s.settled(id);
    return ['timeseries.updated', 'activity_summary.updated'].map((type) => ofType(changes, type).length);
  };
  await store([one]);
  t.same(await counts(), [1, 1]);
  await store([one]);
  t.same(await counts(), [1, 1], 'an unchanged one is no change');
  await store([steps(nine, 60, 500, { source: 1 })]);
  t.same((await counts())[0], 2);
  await s.call('timeseries.deleteIntervals', { ...whose, ids: [one.id] });
  const [series, days] = await counts();
  t.equal(series, 3);
  t.ok((days ?? 0) > 1, 'the other source counts now');
});
