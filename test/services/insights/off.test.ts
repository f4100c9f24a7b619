import t from 'tap';
import { isError } from '../../../domain/errors.ts';
import { hourMs } from '../../../domain/time/time.ts';
import { insightsService } from '../../../services/insights/insights.service.ts';
import summaries from '../../../services/summaries/summaries.service.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { until } from '../../support/until.ts';
import { startWebhooks } from '../webhooks/setting.ts';
import { dayItem, firstDate } from './setting.ts';

const service = () =>
  insightsService({ firstMs: 24 * hourMs, now: () => Date.parse('2026-07-01T12:00:00Z') });
const s = await startWebhooks(t, {}, [summaries, service()]);

t.test('turned off, nothing is computed, nothing stays, and reads are refused', async (t) => {
  const { id: user_id } = await s.call('users.create', {});
  await s.call('timeseries.store', { user_id, provider: 'devicemaker', items: [dayItem(0, () => 0.5)] });
  const days = { user_id, start_date: firstDate, end_date: firstDate };
  t.equal((await s.call('insights.days', days)).data.length, 1);
  const before = (await s.settled(user_id)).length;
  const off = await startBroker(t, {
    databaseUrl: s.database.url,
    services: [service(), summaries, timeseries, users],
    settings: { INSIGHTS: 'off', DATABASE_POOL: '2' },
  });
  await until(async () => (await s.database.query('select from insights.day')).length === 0);
  t.same(await s.database.query('select from insights.computed'), []);
  const refused = (error: unknown) => isError(error, 'NOT_IMPLEMENTED');
  for (const read of [
    () => off.call('insights.days', days),
    () => off.call('insights.baselines', days),
    () => off.call('insights.training', days),
    () => off.call('insights.glucose', { user_id, end_date: firstDate }),
    () => off.call('summaries.recovery', days),
    () => off.call('timeseries.scores', { ...days, category: 'sleep' }),
  ])
    t.ok(await read().then(() => false, refused));
  t.same((await off.call('timeseries.scores', days)).data, [], 'scores of providers are listed');
  t.equal((await s.settled(user_id)).length, before, 'the deletion is no change of the data');
});
