import t from 'tap';
import { z } from 'zod';
import { cycle, moveiq, movementStart } from '../../fixtures/devicemaker/occasional.ts';
import { createWearer, push, startApi } from '../../support/api.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Event = z.object({
  id: z.string(),
  type: z.string(),
  start_time: z.string(),
  data: z.record(z.string(), z.unknown()),
});
const Page = z.object({
  data: z.array(Event),
  pagination: z.object({
    next_cursor: z.string().nullable(),
    previous_cursor: z.string().nullable(),
    has_more: z.boolean(),
    total_count: z.int(),
  }),
});
const range = 'start_date=2025-05-01&end_date=2025-07-31';

const read = async (userId: string, query = '') =>
  Page.parse(await api.expect(200, `/users/${userId}/events/other?${range}${query}`));

/** Nine walks and nine days of a cycle, three of each beginning in the same second. */
async function wearer() {
  const { userId, account } = await createWearer(api);
  const walks = Array.from({ length: 9 }, (_, n) =>
    moveiq(account, { startTimeInSeconds: movementStart - n * 3600 }),
  );
  const days = Array.from({ length: 9 }, (_, n) => cycle(account, { dayInCycle: n + 1 }));
  await push(api, { moveiq: walks, mct: days });
  return { userId, account };
}

t.test('lists newest first in pages in both directions, with an exact total', async (t) => {
  const { userId } = await wearer();
  const all = (await read(userId)).data;
  t.equal(all.length, 18);
  t.same(
    all.map(({ start_time }) => start_time),
    all
      .map(({ start_time }) => start_time)
      .toSorted()
      .reverse(),
  );
  const pages = [await read(userId, '&limit=5')];
  for (let next = pages[0]?.pagination.next_cursor ?? null; next !== null; ) {
    const page = await read(userId, `&limit=5&cursor=${next}`);
    pages.push(page);
    next = page.pagination.next_cursor;
  }
  t.same(
    pages.flatMap(({ data }) => data),
    all,
  );
  t.same(
    pages.map(({ pagination }) => [pagination.total_count, pagination.has_more]),
    [
      [18, true],
      [18, true],
      [18, true],
      [18, false],
    ],
  );
  const backward: z.infer<typeof Event>[][] = [];
  for (let previous = pages.at(-1)?.pagination.previous_cursor ?? null; previous !== null; ) {
    const page = await read(userId, `&limit=5&cursor=${previous}`);
    backward.unshift(page.data);
    previous = page.pagination.previous_cursor;
  }
  t.same(backward.flat(), all.slice(0, 15));
});

t.test('lists one type, and refuses its cursor for another', async (t) => {
  const { userId } = await wearer();
  for (const type of ['moveiq', 'mct'] as const) {
    const page = await read(userId, `&type=${type}&limit=4`);
    t.same(new Set(page.data.map((event) => event.type)), new Set([type]));
    t.equal(page.pagination.total_count, 9);
    const rest = await read(userId, `&type=${type}&limit=100&cursor=${page.pagination.next_cursor}`);
    t.equal(rest.data.length, 5);
    for (const other of ['', '&type=moveiq', '&type=mct'].filter((one) => one !== `&type=${type}`))
      await api.expect(
        422,
        `/users/${userId}/events/other?${range}${other}&cursor=${page.pagination.next_cursor}`,
      );
  }
});

t.test('returns the page envelope, and one record by its id', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { moveiq: [moveiq(account, { deviceName: 'Venu 3' })] });
  const path = `/users/${userId}/events/other`;
  const { userId: _, userAccessToken: __, ...data } = moveiq(account, { deviceName: 'Venu 3' });
  const [{ id } = { id: '' }] = (await read(userId)).data;
  const event = {
    id,
    type: 'moveiq',
    start_time: '2025-06-03T10:10:00Z',
    end_time: '2025-06-03T10:29:00Z',
    source: { provider: 'devicemaker', device: 'Venu 3' },
    data,
    zone_offset: '+02:00',
  };
  t.same(await api.expect(200, `${path}?start_date=2025-06-03&end_date=2025-06-03`), {
    data: [event],
    pagination: { next_cursor: null, previous_cursor: null, has_more: false, total_count: 1 },
    metadata: {
      resolution: null,
      sample_count: 1,
      start_time: '2025-06-03T00:00:00Z',
      end_time: '2025-06-04T00:00:00Z',
    },
  });
  t.same(await api.expect(200, `${path}/${id}`), event);
  t.match(await api.expect(200, `${path}?start_date=2025-06-03T10:10:01Z&end_date=2025-06-04`), { data: [] });
  t.match(await api.expect(200, `${path}?start_date=2025-06-03&end_date=2025-06-03T10:10:00Z`), { data: [] });
});

t.test('stores an item unchanged, except for text that PostgreSQL cannot store', async (t) => {
  const { userId, account } = await createWearer(api);
  const odd = {
    'na\u0000me': 'N\u0000UL',
    half: 'a\ud83e',
    whole: '🤰',
    literal: '\\u0000',
    deep: [{ x: ['\u0000'] }],
  };
  const answer = await push(api, { mct: [cycle(account, odd)], moveiq: [moveiq(account, odd)] });
  t.match(answer.body, { errors: [], wellness: { mct: { saved: 1 }, moveiq: { saved: 1 } } });
  for (const { data } of (await read(userId)).data)
    t.match(data, { name: 'NUL', half: 'a\ufffd', whole: '🤰', literal: '\\u0000', deep: [{ x: [''] }] });
});

t.test('refuses an item that is too large, too deep or without a day', async (t) => {
  const { userId, account } = await createWearer(api);
  const deep = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`);
  const mct = [
    cycle(account, { notes: 'x'.repeat(70_000) }),
    cycle(account, { deep }),
    cycle(account, { periodStartDate: null, lastUpdatedTimeInSeconds: null }),
    cycle(account, { periodStartDate: '2031-01-01' }),
    cycle(account, { periodStartDate: '9999-12-31', dayInCycle: 900 }),
    cycle(account, { dayInCycle: 'eighth' }),
  ];
  const { body } = await push(api, { mct, moveiq: [moveiq(account, { notes: 'x'.repeat(70_000) })] });
  const Body = z.object({ errors: z.array(z.string()) });
  t.same(
    Body.parse(body).errors.map((sentence) => sentence.replace(/ \(.*?\)/, '')),
    [
      'mct[0]: is larger than 65536 bytes',
      'mct[1]: is nested too deeply',
      'mct[2]: periodStartDate: is required: nothing else tells a day',
      'mct[3]: periodStartDate: is before 1990 or too far ahead',
      'mct[4]: periodStartDate: is before 1990 or too far ahead',
      'mct[5]: dayInCycle: must be a number',
      'moveiq[0]: is larger than 65536 bytes',
    ],
  );
  t.match((await read(userId)).data, [
    { start_time: '2025-05-27T00:00:00Z', data: { dayInCycle: 'eighth' } },
  ]);
});

t.test('stores a forecast under its first day until that day arrives', async (t) => {
  const { userId, account } = await createWearer(api);
  const forecast = cycle(account, { periodStartDate: '2025-06-25', dayInCycle: 1, isPredictedCycle: true });
  await push(api, { mct: [forecast] });
  await push(api, { mct: [{ ...forecast, isPredictedCycle: false }] });
  t.match((await read(userId)).data, [
    { start_time: '2025-06-25T00:00:00Z', data: { isPredictedCycle: false } },
  ]);
});

t.test('detected movement is neither a workout nor part of a total', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { moveIQActivities: [moveiq(account, { distanceInMeters: 900, steps: 1200 })] });
  t.match(await api.expect(200, `/users/${userId}/events/workouts?${range}`), { data: [] });
  t.match(await api.expect(200, `/users/${userId}/summaries/activity?${range}`), { data: [] });
});

t.test('other events are exported and erased with their user', async (t) => {
  const { userId } = await wearer();
  const exported = await api.ask(`/api/v1/users/${userId}/export`, { key: api.apiKey });
  const lines = exported.text
    .trim()
    .split('\n')
    .map((line) => z.object({ kind: z.string() }).loose().parse(JSON.parse(line)));
  const others = lines.filter(({ kind }) => kind === 'other');
  t.equal(others.length, 18);
  t.match(
    others.find(({ type }) => type === 'mct'),
    { local_date: '2025-05-27', data: { cycleLength: 29 } },
  );
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await api.expect(404, `/users/${userId}/events/other?${range}`);
});

t.test('logs contain nothing of a menstrual cycle', async (t) => {
  const lines: string[] = [];
  for (const level of ['log', 'trace', 'debug', 'info', 'warn', 'error'] as const) {
    const { restore } = t.intercept(console, level, {
      value: (...parts: unknown[]) => lines.push(JSON.stringify(parts)),
    });
    t.teardown(restore);
  }
  const talkative = await startApi(t, { LOG_LEVEL: 'trace' });
  const { userId, account } = await createWearer(talkative);
  const mct = [
    cycle(account),
    cycle(account),
    cycle(account, { dayInCycle: -98765432 }),
    cycle(account, { periodStartDate: 'FOLLICULAR' }),
    cycle('a stranger'),
    cycle(account, { notes: 'FOLLICULAR'.repeat(7000) }),
  ];
  await push(talkative, { mct });
  await talkative.expect(200, `/users/${userId}/events/other?${range}&type=mct`);
  const text = lines.join('\n');
  t.match(text, /push\.worked/, 'the log was heard');
  for (const told of [
    'FOLLICULAR',
    '2025-05-27',
    'periodStart',
    'dayInCycle',
    'pregnancy',
    'mct-20250603',
    '-98765432',
  ])
    t.notMatch(text, told);
});
