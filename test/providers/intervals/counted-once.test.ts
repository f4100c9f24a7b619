import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import type { PullPass } from '../../../domain/provider/pulled-provider.ts';
import { types } from '../../../providers/intervals/records.ts';
import { pullPace } from '../../../services/pull-ingest/work/pace.ts';
import { readPart } from '../../../services/pull-ingest/work/read-part.ts';
import { bodies } from '../../fixtures/intervals/bodies.ts';
import { activity, workout } from '../../services/timeseries/items.ts';
import { anotherUser, setUp } from '../../services/timeseries/setting.ts';

const shared = await setUp(t);
const range = { start_date: '2026-03-01', end_date: '2026-03-03' };
const days = {
  first_date: '2026-03-01',
  last_date: '2026-03-03',
  after: null,
  order: 'asc',
  limit: 10,
} as const;

const repeated = () =>
  types.activities?.normalise({
    records: { list: bodies.activities.slice(0, 1) },
    span: null,
    nowMs: Date.parse('2026-06-01T00:00:00Z'),
  }).items ?? [];

t.test('the same ride by Garmin and by Intervals counts once, as that of Garmin', async (t) => {
  for (const isGarminFirst of [true, false]) {
    const setting = await anotherUser(shared);
    const { call, userId: user_id } = setting;
    // It has fewer fields, and it began a few seconds later.
    const ride = workout(Date.parse('2026-03-02T08:00:04Z'), 65, {
      ...{ name: 'of Garmin', type: 'cycling', distance_meters: 30_000 },
      zone_offset_minutes: 60,
    });
    const stores = [
      () => setting.store([activity(ride)], 'devicemaker'),
      () => call('timeseries.store', { user_id, provider: 'intervals', items: [...repeated()] }),
    ];
    for (const store of isGarminFirst ? stores : stores.toReversed()) await store();
    const page = await call('timeseries.workouts', { user_id, ...range });
    t.same(
      page.data.map(({ name }) => name),
      ['of Garmin'],
    );
    const sums = await call('timeseries.activityDays', { user_id, ...days });
    t.same(
      sums.days.map(({ date, sources }) => [date, sources.map(({ provider }) => provider).sort()]),
      [['2026-03-02', ['devicemaker', 'intervals']]],
      'each source has its own sum of the same day, of which one is chosen',
    );
  }
});

t.test('a ride that came from a provider that is connected is left out, if it is to be', async (t) => {
  const type = types.activities;
  if (type === undefined) throw new Error('there are no activities');
  const [ride, upload] = bodies.activities;
  const [connection_id, user_id] = [randomUUID(), randomUUID()];
  const connected_at = '2026-01-01T00:00:00Z';
  const bearer = { kind: 'token', token: 'a', version: 1, connected_at, connection_id } as const;
  const sending = {
    database: shared.database,
    pace: pullPace,
    config: loadConfig({}),
    refusedPasses: new WeakSet<PullPass>(),
    tokens: { bearer: async () => bearer, worked: async () => {}, expire: async () => {} },
    api: {
      async request({ url }: { readonly url: URL }) {
        const own = [ride, upload].find((one) => url.pathname.endsWith(`/${one?.id}`));
        return { status: 200, headers: new Headers(), text: JSON.stringify(own ?? [ride, upload]), tries: 1 };
      },
    },
  };
  const account = { provider: 'intervals', connection_id, user_id } as const;
  const startMs = Date.parse('2026-03-02T00:00:00Z');
  const span = { startMs, endMs: startMs + 86_400_000 };
  const namesWithout = async (...leftOut: readonly string[]) => {
    const part = { type, span, cursor: null, canRetry: true, leftOut: new Set(leftOut) };
    const read = await readPart(sending, account, part, new AbortController().signal);
    return read.kind === 'read' ? read.part.items.map(({ key }) => key) : read.kind;
  };
  t.same(await namesWithout(), [String(ride?.id), String(upload?.id)]);
  t.same(await namesWithout('devicemaker', 'polar'), [String(upload?.id)]);
});
