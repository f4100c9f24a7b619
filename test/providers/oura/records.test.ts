import { createHmac } from 'node:crypto';
import t from 'tap';
import type { PulledType } from '../../../domain/provider/pulled-provider.ts';
import { listPass } from '../../../domain/recipe/list-pass.ts';
import { oura } from '../../../providers/oura/provider.ts';
import { collections, types } from '../../../providers/oura/records.ts';
import { hmacSignatures } from '../../../services/pull-ingest/work/signatures.ts';
import { bodies } from '../../fixtures/oura/bodies.ts';
import { testConfig } from '../../support/servers/broker.ts';

const nowMs = Date.parse('2026-03-03T00:00:00Z');
const span = { startMs: Date.parse('2026-03-01T00:00:00Z'), endMs: nowMs };

function normalise(name: keyof typeof collections, ...list: readonly unknown[]) {
  const type: PulledType | undefined = types[name];
  if (type === undefined) throw new Error(`no type ${name}`);
  return type.normalise({ records: { list }, span, nowMs });
}

t.test('a text of stages becomes intervals that end with the time in bed', async (t) => {
  const [night] = normalise('sleep', bodies.sleep[0]).items;
  t.same(night?.sleeps[0]?.stage_intervals, [
    ['awake', 0, 300],
    ['light', 300, 900],
    ['rem', 900, 1200],
    ['deep', 1200, 1320],
  ]);
  const [nap] = normalise('sleep', { ...bodies.sleep[1], time_in_bed: 90 }).items;
  t.same(
    nap?.sleeps[0]?.stage_intervals,
    [
      ['awake', 0, 60],
      ['light', 60, 90],
    ],
    'characters of 30 seconds are preferred',
  );
});

t.test('a variability below 0 is none', async (t) => {
  const hrv = { ...bodies.sleep[0].hrv, items: [null, -101, 38, -121] };
  const [night] = normalise('sleep', { ...bodies.sleep[0], hrv }).items;
  const found = night?.samples.find(({ type }) => type === 'heart_rate_variability_rmssd');
  t.match(found, { at: [0], values: [38] });
});

t.test('deleted sleeps and rests are left out', async (t) => {
  const other = (type: string) => ({ ...bodies.sleep[0], id: type, type });
  const { items, skipped } = normalise('sleep', bodies.sleep[0], other('deleted'), other('rest'));
  t.same(
    items.map(({ key }) => key),
    [bodies.sleep[0].id],
  );
  t.same(skipped, { deleted: 1, rest: 1 });
});

t.test('heart rates of a night and of a session are not kept twice', async (t) => {
  const [rate] = bodies.heartrate;
  const { items, skipped } = normalise(
    'heartrate',
    rate,
    { ...rate, source: 'sleep', timestamp: '2026-03-02T03:00:00Z' },
    { ...rate, source: 'session', timestamp: '2026-03-02T11:00:00Z' },
  );
  t.same(
    items.flatMap(({ samples }) => samples.map(({ device, values }) => [device, values])),
    [['Oura Ring', [71]]],
  );
  t.same(skipped, { of_sleep: 1, of_session: 1 });
});

t.test('what a read of a type replaces is of its own device', async (t) => {
  const replaced = (name: keyof typeof collections) => types[name]?.replaces;
  t.match(replaced('sleep'), { devices: ['Oura Ring, asleep'], records: ['sleeps'] });
  t.match(replaced('heartrate'), { devices: ['Oura Ring'], series: ['heart_rate'], records: [] });
  t.match(replaced('session'), { devices: ['Oura Ring, in a session'] });
  t.same(types.heartrate?.sweeps, [{ everyMs: 6 * 3_600_000, days: 2 }]);
});

t.test('more days are asked than the span has, since the end may be excluded', async (t) => {
  const part = { span, cursor: null, page: null, nowMs };
  const { query } = listPass(collections.sleep.read).request({}, part);
  t.same(query, { start_date: '2026-02-27', end_date: '2026-03-05' });
});

t.test('a lapsed membership withholds data, and an old app is refused', async (t) => {
  const kindOf = (status: number) => oura.pull.failure({ status, headers: {}, text: '' }, nowMs)?.kind;
  t.same([401, 403, 404, 426, 429].map(kindOf), [
    'unauthorized',
    'withheld',
    'missing',
    'refused',
    'limited',
  ]);
});

t.test('a granted scope may have the prefix of the provider', async (t) => {
  t.equal(types.sleep?.isGranted(['extapi:daily']), true);
  t.equal(types.sleep?.isGranted(['daily']), true);
  t.equal(types.daily_resilience?.isGranted(['daily']), false);
});

t.test('a night that changed leads to a read of heart rates as well', async (t) => {
  const { example, read } = oura.pull.notifications;
  const account = example.user_id;
  const hint = (event: object) => read(Buffer.from(JSON.stringify({ ...example, ...event })));
  t.same(hint({}), [
    { kind: 'changed', account, types: ['sleep', 'heartrate'], span: null, id: example.object_id },
  ]);
  t.match(hint({ data_type: 'daily_stress' }), [{ types: ['daily_stress'] }]);
  t.same(hint({ data_type: 'enhanced_tag' }), [], 'what is not read');
  t.equal(read(Buffer.from('{}')), null);
});

t.test('the time and the body are signed with the client secret, in upper case', async (t) => {
  const OURA_CLIENT_SECRET = 'the client secret of the tests';
  const config = testConfig({
    databaseUrl: 'postgres://127.0.0.1/none',
    settings: { OURA_CLIENT_ID: 'tests', OURA_CLIENT_SECRET },
  });
  const { authentication } = oura.pull.notifications;
  const signatures = hmacSignatures(authentication, config, async () => null);
  const [time, body] = ['1772433300', Buffer.from('{"event_type":"update"}')];
  const digest = createHmac('sha256', OURA_CLIENT_SECRET)
    .update(`${time}${body}`)
    .digest('hex')
    .toUpperCase();
  const headers = { 'x-oura-signature': digest, 'x-oura-timestamp': time };
  t.equal(await signatures.problemOf({ headers, body }), null);
  const other = { ...headers, 'x-oura-timestamp': '1772433301' };
  t.equal(await signatures.problemOf({ headers: other, body }), 'SIGNATURE_INVALID');
});
