import t from 'tap';
import { auditedAs } from '../../../services/api-gateway/audit-access.ts';
import { endpoints } from '../../../services/api-gateway/endpoints.ts';

t.test('only reads of personal data are audited as reads', async (t) => {
  const reads = endpoints.filter((one) => auditedAs(one) === 'user.read').map(({ action }) => action);
  t.same(reads.sort(), [
    'backfill.status',
    'connect.status',
    'summaries.activity',
    'summaries.body',
    'summaries.day',
    'summaries.days',
    'summaries.recovery',
    'summaries.sleep',
    'timeseries.calendar',
    'timeseries.chart',
    'timeseries.other',
    'timeseries.others',
    'timeseries.routePrivacy',
    'timeseries.samples',
    'timeseries.sleep',
    'timeseries.sleepStages',
    'timeseries.sleeps',
    'timeseries.sourcePriority',
    'timeseries.workout',
    'timeseries.workouts',
    'users.connections',
    'users.get',
    'users.list',
  ]);
});

t.test('an audit action of the contract takes precedence; a stated reason means none', async (t) => {
  const asked = ['users.remove', 'api-gateway.export', 'connect.authorize', 'auth.refresh', 'auth.listKeys'];
  const actions = asked.map((action) => endpoints.filter((one) => one.action === action).map(auditedAs));
  t.same(actions.flat(), ['user.deleted', 'user.exported', 'connection.authorization_started', null, null]);
});
