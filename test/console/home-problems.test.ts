import t from 'tap';
import { type Figures, staleOf } from '../../console/src/parts/home/figures.ts';
import { problemsOf } from '../../console/src/parts/home/problems.ts';
import { sentenceOf } from '../../console/src/parts/home/sentence.ts';
import { stepsOf } from '../../console/src/parts/home/setup.ts';
import { destination, endpoint, figures, nowMs, overview, provider } from './home-figures.ts';

const problemsIn = (changed: Partial<Figures>) => problemsOf({ ...figures, ...changed }, nowMs);
const ofOverview = (changed: Partial<Figures['overview']>) =>
  problemsIn({ overview: { ...overview, ...changed } });
const whats = (changed: Partial<Figures>) => problemsIn(changed).map(({ what }) => what);

t.test('a service that does well has no problem, and a sentence that says so', async (t) => {
  t.strictSame(problemsIn({}), []);
  t.equal(
    sentenceOf(figures, [], nowMs),
    'Everything is well: 7 users, data of the last minute, nothing waits.',
  );
  const later = sentenceOf(figures, [], nowMs + 3 * 3_600_000 - 60_000);
  t.equal(later, 'Everything is well: 7 users, last data 3 h ago, nothing waits.');
  const busy = { ...overview, users: 1, oldest_waiting_delivery_seconds: 2, oldest_waiting_job_seconds: 40 };
  t.equal(
    sentenceOf({ ...figures, overview: busy, providers: [] }, [], nowMs),
    'Everything is well: 1 user, no recent data, nothing waits for longer than 40 s.',
  );
  const empty = { ...figures, overview: { ...overview, users: 0 } };
  t.equal(sentenceOf(empty, [], nowMs), 'Everything is well: there are no users yet.');
});

t.test('what is not well is counted, and the worst is first', async (t) => {
  const all = {
    overview: {
      ...overview,
      ...{ dead_deliveries: 1, dead_jobs: 1000, approximate: ['dead_jobs'], away: ['webhooks'] },
      ...{ oldest_waiting_delivery_seconds: 301, oldest_waiting_job_seconds: 901, disk_free_percent: 14 },
    },
    stale: { connections: 500, isMore: true, since: '2026-01-01T00:00:00Z' },
    unread: ['incidents'],
  };
  t.strictSame(whats(all), [
    'The webhooks service does not answer',
    '1 delivery could not be processed',
    '1,000 or more jobs failed for good',
    '14 % of the disk is free',
    'Data of 500 or more connections is missing',
    'The oldest delivery has waited for 5 min',
    'The oldest job has waited for 15 min',
    'The incidents could not be read',
  ]);
  const problems = problemsIn(all);
  t.equal(sentenceOf(figures, problems, nowMs), '8 things need attention.');
  t.equal(sentenceOf(figures, problems.slice(0, 1), nowMs), '1 thing needs attention.');
  t.strictSame(
    problems.map(({ since }) => since),
    [
      null,
      null,
      null,
      null,
      '2026-01-01T00:00:00Z',
      '2026-01-05T11:54:59.000Z',
      '2026-01-05T11:44:59.000Z',
      null,
    ],
  );
});

t.test('work that waits for less than its bound is no problem', async (t) => {
  const atBound = { oldest_waiting_delivery_seconds: 300, oldest_waiting_job_seconds: 900 };
  t.strictSame(ofOverview({ ...atBound, disk_free_percent: 15 }), []);
});

t.test('an almost full disk is bad', async (t) => {
  t.match(ofOverview({ disk_free_percent: 4 }), [{ severity: 'bad', what: '4 % of the disk is free' }]);
  t.match(ofOverview({ disk_free_percent: 5 }), [{ severity: 'warn' }]);
});

t.test('settings are missed where connections exist', async (t) => {
  const unset = provider({ configured: false, missing_settings: ['A', 'B'] });
  t.match(problemsIn({ providers: [unset] }), [
    {
      what: 'Oura has 3 connections and no complete settings',
      means: /A, B are not set\. Set them/,
      action: { to: '/providers#oura' },
    },
  ]);
  const other = provider({ provider: 'whoop', configured: false, missing_settings: ['A'] });
  t.strictSame(problemsIn({ providers: [other] }), [], 'its only connection has expired');
});

t.test('an incident counts until it ends', async (t) => {
  const incident = {
    id: 'i',
    provider: 'oura',
    reason: 'failing',
    started_at: '2026-01-04T00:00:00Z',
  } as const;
  t.match(problemsIn({ incidents: [{ ...incident, ended_at: null }] }), [
    {
      what: /has an incident$/,
      since: '2026-01-04T00:00:00Z',
      action: { to: '/freshness?state=late&provider=oura' },
    },
  ]);
  t.strictSame(problemsIn({ incidents: [{ ...incident, ended_at: '2026-01-04T01:00:00Z' }] }), []);
});

t.test('an endpoint that fails says how far it is behind; one that was paused by hand is none', async (t) => {
  const failing_since = '2026-01-05T10:00:00Z';
  const failing = endpoint({
    ...{ failing_since, last_delivered_at: '2026-01-05T09:00:00Z' },
    ...{ messages_waiting: 3, oldest_waiting_message_seconds: 10_800 },
  });
  const never = endpoint({ failing_since, url: `https://app.example/${'x'.repeat(60)}` });
  const gone = endpoint({ enabled: false, disabled_reason: 'gone', updated_at: '2026-01-03T00:00:00Z' });
  t.match(problemsIn({ endpoints: [failing, never, gone, endpoint({ enabled: false }), endpoint({})] }), [
    {
      what: 'The webhook endpoint app.example/hook is disabled',
      means: /410/,
      since: '2026-01-03T00:00:00Z',
    },
    {
      what: 'The webhook endpoint app.example/hook fails',
      means: /^Nothing was delivered for 3 h\. 3 messages wait, the oldest for 3 h\. Messages are kept/,
    },
    { what: /^The webhook endpoint app\.example\/x{35}… fails$/, means: /^Nothing was ever delivered/ },
  ]);
  const many = Array.from({ length: 4 }, (_, n) =>
    endpoint({ failing_since: `2026-01-0${n + 1}T00:00:00Z` }),
  );
  t.match(problemsIn({ endpoints: many }), [
    {
      what: '4 webhook endpoints fail',
      since: '2026-01-01T00:00:00Z',
      action: { to: '/webhooks?state=failed' },
    },
  ]);
});

t.test('a destination that fails, lost its key or is behind leads to its page', async (t) => {
  const failing = destination({
    ...{ state: 'failing', failing_since: '2026-01-05T10:00:00Z', changes_behind: 2, lag_seconds: 7200 },
    last_error: { code: 'missing', message: 'The bucket does not exist.', at: '2026-01-05T11:59:00Z' },
  });
  const paused = destination({ state: 'paused', paused_reason: 'key_deleted' });
  const late = destination({ changes_behind: 1, lag_seconds: 901, settings: { bucket: 'late' } });
  const settings = { bucket: 'hourly', interval_seconds: 3600 };
  const none = [
    destination({ state: 'paused', paused_reason: 'request', lag_seconds: 9000 }),
    destination({ state: 'catching_up', snapshot_complete: false, lag_seconds: 9000 }),
    destination({ lag_seconds: 4500, settings }),
  ];
  t.match(problemsIn({ destinations: [late, failing, paused, ...none] }), [
    {
      what: 'The destination health/copy fails',
      means:
        'The bucket does not exist. It is tried again. 2 changes wait, the oldest for 2 h. Nothing is lost.',
      ...{ since: '2026-01-05T10:00:00Z', action: { to: '/destinations/d', needs: 'destinations.read' } },
    },
    { what: 'The destination health/copy is paused', means: /^The API key that had set its place/ },
    {
      ...{ severity: 'warn', what: 'The destination late is behind', since: '2026-01-05T11:44:59.000Z' },
      means: '1 change waits for 15 min. Nothing is lost.',
    },
  ]);
  t.equal(problemsIn({ destinations: [destination({ lag_seconds: 4501, settings })] }).length, 1);
});

t.test('a quota of which less than a tenth is left is nearly used', async (t) => {
  const quota = { quarter_left: 100, quarter_limit: 100, day_left: 1000, day_limit: 1000, paused: false };
  const withQuota = (changed: Partial<typeof quota>) =>
    whats({ providers: [provider({ quota: { ...quota, ...changed } })] });
  t.strictSame(withQuota({ quarter_left: 10, day_left: 100 }), []);
  t.strictSame(withQuota({ day_left: 99, quarter_left: 0 }), ['Oura has 99 of 1,000 reads left today']);
  t.strictSame(withQuota({ quarter_left: 9 }), ['Oura has 9 of 100 reads left in this quarter of an hour']);
  t.strictSame(withQuota({ paused: true }), ['Oura accepts no reads at present']);
  t.strictSame(withQuota({ day_limit: 0, day_left: 0 }), [], 'there is no limit of the day');
});

t.test('several stale kinds of data of a connection are one connection', async (t) => {
  const row = (connection_id: string, since: string) => ({
    ...({
      connection_id,
      since,
      user_id: 'u',
      provider: 'oura',
      data_type: 'sleep',
      state: 'stale',
    } as const),
    ...{
      last_arrival_at: null,
      last_data_at: null,
      expected_within_seconds: 60,
      repairs: 1,
      repaired_at: null,
    },
  });
  const data = [
    row('a', '2026-01-03T00:00:00Z'),
    row('a', '2026-01-02T00:00:00Z'),
    row('b', '2026-01-04T00:00:00Z'),
  ];
  t.strictSame(staleOf({ data, pagination: { next_cursor: 'c', has_more: true } }), {
    ...{ connections: 2, isMore: true, since: '2026-01-02T00:00:00Z' },
  });
  t.strictSame(staleOf({ data: [], pagination: { next_cursor: null, has_more: false } }), {
    ...{ connections: 0, isMore: false, since: null },
  });
});

t.test('an endpoint that does not fail is behind if its messages wait, the furthest first', async (t) => {
  const waiting = (messages_waiting: number, oldest_waiting_message_seconds: number) =>
    endpoint({ messages_waiting, oldest_waiting_message_seconds });
  const further = waiting(10_000, 7200);
  const paused = { ...further, enabled: false };
  t.strictSame(problemsIn({ endpoints: [waiting(1, 300), waiting(1, 301), further, paused] }), [
    {
      what: 'The webhook endpoint app.example/hook is behind',
      means:
        '10,000 or more messages wait, the oldest for 2 h. It takes fewer than are sent, or asks for a pause.',
      severity: 'warn',
      since: '2026-01-05T10:00:00.000Z',
      action: { text: 'See the attempts', to: '/webhooks/e', needs: 'webhooks.read' },
    },
    {
      what: 'The webhook endpoint app.example/hook is behind',
      means: '1 message waits for 5 min. It takes fewer than are sent, or asks for a pause.',
      severity: 'warn',
      since: '2026-01-05T11:54:59.000Z',
      action: { text: 'See the attempts', to: '/webhooks/e', needs: 'webhooks.read' },
    },
  ]);
  const many = Array.from({ length: 4 }, (_, index) => waiting(2, 400 + index));
  t.match(problemsIn({ endpoints: many }), [
    { severity: 'warn', what: '4 webhook endpoints are behind', since: '2026-01-05T11:53:17.000Z' },
  ]);
});

t.test('the set-up is done step by step', async (t) => {
  const done = (of: Figures) => stepsOf(of, false).map(({ isDone }) => isDone);
  t.strictSame(done(figures), [true, true, true, true, true]);
  const bare = { ...overview, users: 0, connections: [] };
  const begun = {
    ...figures,
    ...{ overview: bare, keys: 0, endpoints: [], providers: [provider({ configured: false })] },
  };
  t.strictSame(done(begun), [false, false, false, false, false]);
  t.strictSame(
    done({ ...begun, providers: [provider({ connected_by: 'app' })] })[0],
    false,
    'apps need none',
  );
  t.match(stepsOf(figures, true)[0]?.note, /^Simulated providers are on/);
});
