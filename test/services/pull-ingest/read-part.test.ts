import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import type { PullPass } from '../../../domain/provider/pulled-provider.ts';
import { dataTypes } from '../../../providers/googlehealth/data-types.ts';
import { pullPace } from '../../../services/pull-ingest/work/pace.ts';
import { readPart } from '../../../services/pull-ingest/work/read-part.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const refusedPasses = new WeakSet<PullPass>();
const account = { provider: 'googlehealth', connection_id: randomUUID(), user_id: randomUUID() } as const;
const span = { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 2, 2) };
const bearer = {
  kind: 'token',
  token: 'a',
  version: 1,
  connected_at: '2026-01-01T00:00:00Z',
  connection_id: account.connection_id,
} as const;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Reads a part from a provider that answers 400 to some filters. Returns the filters that were sent. */
async function read(name: string, isRefused: (filter: string) => boolean, points: readonly unknown[]) {
  const filters: string[] = [];
  const result = await readFrom(name, (url) => {
    const filter = url.searchParams.get('filter') ?? 'none';
    filters.push(filter);
    return isRefused(filter)
      ? { status: 400, body: { error: { message: `Invalid filter: ${filter}` } } }
      : { status: 200, body: { dataPoints: points } };
  });
  return { filters, result };
}

async function readFrom(name: string, answer: (url: URL) => Reply) {
  const type = dataTypes[name];
  if (type === undefined) throw new Error(name);
  const sending = {
    database,
    pace: { ...pullPace, mostPages: 5 },
    config: loadConfig({}),
    refusedPasses,
    tokens: { bearer: async () => bearer, worked: async () => {}, expire: async () => {} },
    api: {
      async request({ url }: { readonly url: URL }) {
        const { status, body } = answer(url);
        return { status, headers: new Headers(), text: JSON.stringify(body), tries: 1 };
      },
    },
  };
  const part = { type, span, cursor: null, canRetry: true, leftOut: new Set<string>() };
  return readPart(sending, account, part, new AbortController().signal);
}

const day = '2026-03-01T00:00:00.000Z';
const interval = { startTime: '2026-03-01T06:00:00Z', endTime: '2026-03-01T07:00:00Z', startUtcOffset: '0s' };

t.test('a filter that is refused is replaced by the next of its type, also for later reads', async (t) => {
  const points = [{ name: 'x', sleep: { interval } }];
  const isRefused = (filter: string) => filter.includes('end_time');
  const byEnd = `sleep.interval.end_time >= "${day}" AND sleep.interval.end_time < "2026-03-04T00:00:00.000Z"`;
  const civil =
    'sleep.interval.civil_start_time >= "2026-02-28T00:00:00" AND sleep.interval.civil_start_time < "2026-03-03T00:00:00"';
  const first = await read('sleep', isRefused, points);
  t.same(first.filters, [byEnd, civil]);
  t.match(first.result, { kind: 'read', part: { items: { length: 1 } } });
  t.same((await read('sleep', isRefused, points)).filters, [civil]);
});

t.test(
  'exercises are read without a filter where it is refused, and kept if they begin in the part',
  async (t) => {
    const exercise = (startTime: string) => ({
      exercise: {
        exerciseType: 'WALKING',
        interval: { ...interval, startTime, endTime: startTime.replace(':00Z', ':30Z') },
      },
    });
    const points = [exercise('2026-03-01T06:00:00Z'), exercise('2026-01-01T06:00:00Z')];
    const { filters, result } = await read('exercise', (filter) => filter !== 'none', points);
    t.equal(filters.at(-1), 'none');
    t.equal(filters.length, 2);
    t.match(result, { kind: 'read', part: { items: { length: 1 }, skipped: {} } });
  },
);

t.test('the last filter is not replaced, and other refusals are final', async (t) => {
  const { filters, result } = await read('steps', () => true, []);
  t.equal(filters.length, 1);
  t.match(result, { kind: 'refused', reason: 'FILTER_REFUSED' });
});

t.test('records of which none can be read are counted as lost together', async (t) => {
  const none = await read('core-body-temperature', () => false, [
    { coreBodyTemperature: { kelvin: 310 } },
    {},
  ]);
  t.match(none.result, { part: { items: [], skipped: { POINT_INVALID: 2, NOTHING_READ: 2 } } });
  const sampleTime = { physicalTime: '2026-03-01T06:10:00Z', utcOffset: '0s' };
  const good = { coreBodyTemperature: { celsius: 36.6, sampleTime } };
  const some = await read('core-body-temperature', () => false, [good, {}]);
  t.same(some.result.kind === 'read' && some.result.part.skipped, { POINT_INVALID: 1 });
  t.match(some.result, { part: { items: [{ samples: [{ type: 'body_temperature', values: [36.6] }] }] } });
  const heartRateVariability = {
    ...{ sampleTime, rootMeanSquareOfSuccessiveDifferencesMilliseconds: 41 },
    standardDeviationMilliseconds: 5000,
  };
  const partly = await read('heart-rate-variability', () => false, [{ heartRateVariability }]);
  t.same(partly.result.kind === 'read' && partly.result.part.skipped, { value_out_of_range: 1 });
  const empty = await read('core-body-temperature', () => false, []);
  t.same(empty.result.kind === 'read' && empty.result.part.skipped, {});
});

t.test('a part whose later pages are missing, or never end, is not taken for a whole one', async (t) => {
  const pageOf = (url: URL) => Number(url.searchParams.get('pageToken') ?? 0);
  const page = (url: URL) => ({
    status: 200,
    body: {
      dataPoints: [{ name: `x${pageOf(url)}`, sleep: { interval } }],
      nextPageToken: `${pageOf(url) + 1}`,
    },
  });
  const same = (url: URL) => page(new URL(url.origin));
  const missing = { status: 404, body: {} };
  t.match(await readFrom('sleep', (url) => (pageOf(url) < 2 ? page(url) : missing)), { kind: 'missing' });
  t.match(await readFrom('sleep', page), { kind: 'later', reason: 'TOO_MANY_PAGES' });
  t.match(await readFrom('sleep', same), { kind: 'refused', reason: 'PAGES_REPEAT' });
  t.match(await readFrom('sleep', () => missing), { kind: 'read', part: { items: { length: 0 } } });
});
