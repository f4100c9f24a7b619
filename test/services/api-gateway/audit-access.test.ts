import t from 'tap';
import { endpoints } from '../../../services/api-gateway/rules/endpoints.ts';
import { auditedAs, recordExport } from '../../../services/api-gateway/work/audit-access.ts';

t.test('only reads of personal data are audited as reads', async (t) => {
  const reads = endpoints.filter((one) => auditedAs(one) === 'user.read').map(({ action }) => action);
  t.same(reads.sort(), [
    'auth.accesses',
    'backfill.status',
    'connect.consents',
    'connect.status',
    'fhir.device',
    'fhir.devices',
    'fhir.observation',
    'fhir.observations',
    'fhir.patient',
    'fhir.patients',
    'file-import.get',
    'file-import.list',
    'freshness.ofUser',
    'insights.baselines',
    'insights.days',
    'insights.glucose',
    'insights.training',
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
    'timeseries.scores',
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

t.test('the entry of an export is written before its first line is sent', async (t) => {
  const order: string[] = [];
  const query = async () => {
    order.push('entry');
    return [];
  };
  async function* lines() {
    yield 'first';
    yield 'second';
  }
  const [endpoint] = endpoints.filter(({ action }) => action === 'api-gateway.export');
  const pipeline = { database: { query } } as never;
  const exchange = { endpoint, req: { headers: {} } } as never;
  for await (const line of recordExport(pipeline, exchange, { caller: null, params: {} }, lines()))
    order.push(String(line));
  t.same(order, ['entry', 'first', 'second']);
});
