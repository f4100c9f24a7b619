import t, { type Test } from 'tap';
import { z } from 'zod';
import { dayMs, localDate, minuteMs } from '../../domain/time/time.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { activity, block, day, item, night, other, sleep, workout } from '../services/timeseries/items.ts';
import { createUser, createWearer, push, startApi } from '../support/api.ts';
import { fieldsOf } from './routes/wrong-values.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '1000000', RATE_LIMIT_DEVELOPER: '1000000' });
const Page = z.object({
  data: z.array(z.looseObject({})),
  pagination: z.object({ next_cursor: z.string().nullable(), previous_cursor: z.string().nullable() }),
});
const start = Date.UTC(2026, 2, 1);
const range = (suffix: 'time' | 'date') => `start_${suffix}=2026-02-01&end_${suffix}=2026-04-30`;
const userId = await createUser(api);
const dayAt = (n: number) => localDate(start + n * dayMs, 0);

/** One more of each kind, `n` two-day steps after the start: events, nights and days in between are free. */
async function add(n: number): Promise<void> {
  const at = Math.round(start + n * 2 * dayMs);
  const samples = Array.from({ length: 12 }, (_, i) => [at + i * 7 * minuteMs, 60 + i] as const);
  const types = ['heart_rate', 'steps', 'respiratory_rate'] as const;
  await api.call('timeseries.store', {
    user_id: userId,
    provider: 'devicemaker',
    items: [
      ...types.map((type) => item({ samples: [block(type, samples, { device: `Watch ${n % 2}` })] })),
      activity(workout(at + 60 * minuteMs, 30, { manual: true })),
      night([sleep(at + 20 * 60 * minuteMs, 240, { date: dayAt(Math.floor(n * 2) + 1) })]),
      item({ data_type: 'moveiq', other: other(at + 90 * minuteMs) }),
      item({ day: day(dayAt(Math.floor(n * 2)), { steps: 10 }) }),
    ],
  });
}

for (let n = 0; n < 12; n += 1) await add(n);

const keyed =
  (...names: string[]) =>
  (row: Record<string, unknown>): string =>
    JSON.stringify(names.map((name) => row[name]));
const sampleKey = keyed('timestamp', 'type', 'source');

interface List {
  readonly path: string;
  readonly key: (row: Record<string, unknown>) => string;
  readonly developer?: true;
}

const ofUser = (kind: string, query: string) => `/users/${userId}/${kind}?${query}`;
const lists: readonly List[] = [
  ...['raw', '1min', '5min', '15min', '1hour'].map((resolution) => ({
    path: ofUser('timeseries', `${range('time')}&resolution=${resolution}`),
    key: sampleKey,
  })),
  ...['workouts', 'sleep', 'other'].map((kind) => ({
    path: ofUser(`events/${kind}`, range('date')),
    key: keyed('id'),
  })),
  ...['asc', 'desc'].map((order) => ({
    path: ofUser('summaries/activity', `${range('date')}&sort_order=${order}`),
    key: keyed('date'),
  })),
  { path: ofUser('summaries/sleep', range('date')), key: keyed('date') },
  { path: '/deliveries?status=done', key: keyed('id') },
  { path: '/deliveries?status=done&provider=devicemaker', key: keyed('id') },
  { path: '/audit?', key: (row) => JSON.stringify(row), developer: true },
];

/** Why a list with a cursor is not read here. */
const others: Readonly<Record<string, string>> = {
  'auth.accesses': 'rows are counts that grow',
  'connect.consents': 'as the audit trail',
  'summaries.days': 'as activity summaries',
  'summaries.recovery': 'as activity summaries',
  'insights.baselines': 'as activity summaries',
  'insights.days': 'as activity summaries',
  'insights.training': 'as activity summaries',
  'timeseries.scores': 'as sleep',
  'webhooks.messages': 'newest first, with states that change',
  'webhooks.changes': 'a feed: feed.test.ts',
  'freshness.list': 'a state of now: freshness.test.ts',
};

t.test('every list with a cursor is read here, or says why not', async (t) => {
  const read = lists.map(({ path }) => path.replace(userId, ':user_id').replace(/\?.*/, ''));
  const withCursor = endpoints.filter((one) => fieldsOf(one).some(([name]) => name === 'cursor'));
  const unread = withCursor.filter(({ route }) => !read.includes(route.path)).map(({ action }) => action);
  t.strictSame(unread.sort(), Object.keys(others).sort());
});

let writes = 0;

// Samples before, within and after the existing ones; also a delivery, an audit entry and a user.
async function writeMeanwhile(): Promise<void> {
  writes += 1;
  const step = (writes % 29) - 8 + 0.5;
  await add(step);
  const { account } = await createWearer(api);
  await push(api, { dailies: [{ userId: account, summaryId: `d-${writes}` }] });
  await api.ask('/api/v1/api-keys', { token: api.developerToken, body: { name: `Key ${writes}` } });
}

const Direction = z.enum(['next_cursor', 'previous_cursor']);

interface Walk {
  readonly limit: number;
  readonly direction?: z.infer<typeof Direction>;
  readonly from?: string | null;
  readonly meanwhile?: () => Promise<void>;
}

/** The keys of each page from a cursor on, and the position of the last page. */
async function walk(list: List, { limit, direction = 'next_cursor', from = '', meanwhile }: Walk) {
  const pages: string[][] = [];
  let previous: string | null = null;
  for (let cursor: string | null = from; cursor !== null; ) {
    const query = `${list.path}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const credential = list.developer ? { token: api.developerToken } : { key: api.apiKey };
    const { data, pagination }: z.infer<typeof Page> = Page.parse(
      (await api.ask(`/api/v1${query}`, credential)).body,
    );
    pages.push(data.map(list.key));
    previous = pagination.previous_cursor;
    cursor = pagination[direction];
    await meanwhile?.();
  }
  return { pages, previous };
}

for (let n = 0; n < 8; n += 1) await writeMeanwhile();

for (const list of lists)
  t.test(`${list.path.replace(userId, '…')}: paged to the end while it grows`, async (t) => {
    const before = (await walk(list, { limit: 100 })).pages.flat();
    t.ok(before.length >= 8, `${before.length} were there`);
    t.equal(new Set(before).size, before.length);
    const limit = Math.min(100, Math.ceil(before.length / 4));
    const forward = await walk(list, { limit, meanwhile: writeMeanwhile });
    check(t, before, forward.pages.flat(), 'forward');
    const last = new Set(forward.pages.at(-1));
    const back = await walk(list, {
      limit,
      direction: 'previous_cursor',
      from: forward.previous,
      meanwhile: writeMeanwhile,
    });
    const ahead = before.filter((key) => !last.has(key));
    check(t, ahead, back.pages.toReversed().flat(), 'backward');
  });

function check(t: Test, expected: readonly string[], seen: readonly string[], said: string): void {
  t.equal(new Set(seen).size, seen.length, `${said}: nothing came twice`);
  const sought = new Set(expected);
  t.strictSame(
    seen.filter((key) => sought.has(key)),
    expected,
    `${said}: all that was there, in the order of the list`,
  );
}

const Line = z.looseObject({ timestamp: z.string() });

/** Reads a stream while more is stored before, within and after the sent part. */
async function readWhileItGrows(path: string): Promise<string[]> {
  const response = await fetch(`${api.url}/api/v1${path}`, { headers: { 'X-API-Key': api.apiKey } });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    await writeMeanwhile();
  }
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => sampleKey(Line.parse(JSON.parse(line))));
}

for (const resolution of ['raw', '5min'])
  t.test(`a download at ${resolution} has all earlier samples once while new ones are stored`, async (t) => {
    const path = ofUser('timeseries/download', `${range('time')}&resolution=${resolution}`);
    const before = await readWhileItGrows(path);
    t.ok(before.length >= 100, `${before.length} were there`);
    const growing = writeMeanwhile();
    check(t, before, await readWhileItGrows(path), 'forward');
    await growing;
  });

t.test('the users list, oldest first, is stable while users are added', async (t) => {
  const read = async (page: number) => {
    const found = await api.expect(200, `/users?sort_by=created_at&sort_order=asc&limit=5&page=${page}`);
    return z.object({ items: z.array(z.object({ id: z.string() })), pages: z.int() }).parse(found);
  };
  const seen: string[] = [];
  const { pages: pagesBefore } = await read(1);
  for (let page = 1; page <= pagesBefore; page += 1) {
    seen.push(...(await read(page)).items.map(({ id }) => id));
    await createUser(api);
  }
  t.equal(new Set(seen).size, seen.length);
  const there = await api.database.query<{ id: string }>(
    'select id from users.person order by created_at, id limit $1',
    [seen.length],
  );
  t.strictSame(
    seen,
    there.map(({ id }) => id),
  );
});
