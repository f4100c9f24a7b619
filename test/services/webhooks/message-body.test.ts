import t from 'tap';
import { z } from 'zod';
import { ServiceError } from '../../../domain/errors.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { ChangeRow } from '../../../services/webhooks/rules/event-of-change.ts';
import { messageBodies } from '../../../services/webhooks/work/message-body.ts';

const change: ChangeRow = {
  ...{
    id: '1',
    user_id: 'u1',
    external_user_id: 'user-1',
    sequence: '7',
    type: 'sleep.updated',
    object: 's1',
  },
  ...{
    historical: false,
    first_at: new Date(0),
    last_at: new Date(3_600_000),
    n: '0',
    recorded_at: new Date(0),
  },
  data: { id: 's1', provider: 'devicemaker', device: 'watch', is_nap: false },
};
const session = {
  ...{
    id: 's1',
    start_time: '1970-01-01T00:00:00Z',
    end_time: '1970-01-01T01:00:00Z',
    zone_offset: '+00:00',
  },
  ...{ duration_seconds: 60, efficiency_percent: null, is_nap: false },
  source: { provider: 'Shown', device: 'watch' },
  stages: { awake_minutes: 1, light_minutes: null, deep_minutes: null, rem_minutes: null },
};
const shown = { providerAs: () => 'Shown', baseUrl: 'https://api.example' };

/** The body of a message, where the bus answers as given. */
async function bodyOf(
  answer: () => unknown,
  fields: { include_data?: boolean; change?: ChangeRow | null } = {},
) {
  const calls: unknown[][] = [];
  const call: Call = async (...args) => {
    calls.push(args);
    return answer() as never;
  };
  const message = {
    endpoint_id: 'e1',
    type: 'test.ping',
    recorded_at: new Date(0),
    include_data: true,
    change,
  };
  const body: unknown = JSON.parse(await messageBodies(call, shown)({ ...message, ...fields }));
  return { body, calls };
}
const recordIn = (body: unknown) =>
  z.object({ data: z.object({ record: z.unknown() }) }).parse(body).data.record;
const missing = () => {
  throw new ServiceError('RECORD_NOT_FOUND');
};
const away = () => {
  throw new ServiceError('SERVICE_UNAVAILABLE');
};

t.test('contains identifiers and an address without include_data', async (t) => {
  const { body, calls } = await bodyOf(away, { include_data: false });
  t.same(calls, []);
  t.match(body, {
    type: 'sleep.updated',
    data: {
      ...{ user_id: 'u1', external_user_id: 'user-1', sequence: 7, id: 's1', provider: 'Shown' },
      url: 'https://api.example/api/v1/users/u1/events/sleep/s1',
      record: undefined,
    },
  });
});

t.test('the address of a series includes the last sample', async (t) => {
  const data = { provider: 'devicemaker', device: 'watch', series_type: 'steps' };
  const series: ChangeRow = { ...change, type: 'timeseries.updated', data };
  const { body } = await bodyOf(away, { include_data: false, change: series });
  const range = 'start_time=1970-01-01T00:00:00Z&end_time=1970-01-01T01:00:00.001Z';
  t.match(body, { data: { url: `https://api.example/api/v1/users/u1/timeseries?types=steps&${range}` } });
});

t.test('contains the record with include_data, null if it no longer exists', async (t) => {
  const { body, calls } = await bodyOf(() => ({ ...session, stages_timeline: [] }));
  t.match(calls, [['timeseries.sleep', { user_id: 'u1', event_id: 's1' }]]);
  t.match(body, { data: { sequence: 7 } });
  t.strictSame(recordIn(body), session, 'as in a list');
  t.match((await bodyOf(missing)).body, { data: { id: 's1', record: null } });
  const day: ChangeRow = { ...change, type: 'activity_summary.updated', data: { date: '2025-01-02' } };
  const summary = await bodyOf(() => ({ data: [{ date: '2025-01-02', steps: 5 }] }), { change: day });
  t.match(summary.body, { data: { date: '2025-01-02', record: { steps: 5 } } });
  t.match(summary.calls, [['summaries.activity', { start_date: '2025-01-02', end_date: '2025-01-02' }]]);
});

t.test('contains a day, null if it has no records', async (t) => {
  const changed: ChangeRow = { ...change, type: 'day.updated', data: { date: '2025-01-02' } };
  const full = { date: '2025-01-02', records: [{ data_type: 'dailies' }] };
  const { body, calls } = await bodyOf(() => full, { change: changed });
  t.strictSame(calls, [['summaries.day', { user_id: 'u1', date: '2025-01-02' }]]);
  t.match(body, { data: { url: 'https://api.example/api/v1/users/u1/days/2025-01-02', record: full } });
  const empty = await bodyOf(() => ({ ...full, records: [] }), { change: changed });
  t.match(empty.body, { data: { record: null } });
});

t.test(
  'contains a score, which it looks for on all pages of its day, null if it no longer exists',
  async (t) => {
    const data = { id: 's1', kind: 'recovery', date: '2025-01-02', provider: 'devicemaker', device: 'watch' };
    const changed: ChangeRow = { ...change, type: 'score.updated', data };
    const pages = () => {
      const left = [
        { data: [{ id: 's0' }], pagination: { next_cursor: 'more' } },
        { data: [{ id: 's1', value: 70 }], pagination: { next_cursor: 'further' } },
      ];
      return () => left.shift() ?? { data: [], pagination: { next_cursor: null } };
    };
    const { body, calls } = await bodyOf(pages(), { change: changed });
    const day = { user_id: 'u1', start_date: '2025-01-02', end_date: '2025-01-02', kind: 'recovery' };
    t.match(calls, [
      ['timeseries.scores', { ...day, cursor: undefined }],
      ['timeseries.scores', { ...day, cursor: 'more' }],
    ]);
    t.equal(calls.length, 2);
    const url =
      'https://api.example/api/v1/users/u1/scores?start_date=2025-01-02&end_date=2025-01-02&kind=recovery';
    t.match(body, { data: { url, record: { id: 's1', value: 70 } } });
    const other: ChangeRow = { ...changed, data: { ...data, id: 's2' } };
    t.match((await bodyOf(pages(), { change: other })).body, { data: { record: null } });
  },
);

t.test('contains no record that makes it larger than 20 kB', async (t) => {
  const { body } = await bodyOf(() => ({ ...session, id: 'ä'.repeat(10_000) }));
  t.match(body, { data: { id: 's1', record: undefined } });
});

t.test('a record that cannot be read now is an error', async (t) => {
  await t.rejects(bodyOf(away), { message: /unavailable/ });
});

t.test('other types have no record, a test has the endpoint only', async (t) => {
  const deleted = await bodyOf(away, { change: { ...change, type: 'sleep.deleted' } });
  t.match([deleted.calls, deleted.body], [[], { type: 'sleep.deleted', data: { record: undefined } }]);
  t.same((await bodyOf(away, { change: null })).body, {
    type: 'test.ping',
    timestamp: '1970-01-01T00:00:00Z',
    data: { endpoint_id: 'e1' },
  });
});
