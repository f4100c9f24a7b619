import { get } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { createUser, createWearer, push, startApi } from '../support/api.ts';
import { fullDay, heartRateOf } from '../support/full-day.ts';

const api = await startApi(t);
const start = Date.UTC(2026, 2, 10);
const { userId, account } = await createWearer(api);
const run = {
  userId: account,
  activityId: 1,
  summaryId: 'r',
  startTimeInSeconds: start / 1000 + 3600,
  startTimeOffsetInSeconds: 0,
  durationInSeconds: 600,
  activityType: 'RUNNING',
};
const sleep = {
  userId: account,
  summaryId: 's',
  startTimeInSeconds: start / 1000 + 80_000,
  startTimeOffsetInSeconds: 0,
  durationInSeconds: 6000,
  deepSleepDurationInSeconds: 6000,
};
await push(api, {
  activities: [run],
  sleeps: [sleep],
  dailies: [fullDay({ account, startMs: start, seconds: 86_400, seed: 5 })],
});
const path = `/api/v1/users/${userId}/export`;
const Line = z.looseObject({ kind: z.string() });
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));

t.test('an export contains all data of the user once, and its end', async (t) => {
  const answer = await api.ask(path, { key: api.apiKey });
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), 'application/x-ndjson');
  const lines = linesOf(answer.text);
  t.match(lines[0], { kind: 'user', id: userId });
  t.match(lines[1], { kind: 'connection', provider: 'devicemaker', provider_user_id: account });
  t.match(lines[2], {
    kind: 'workout',
    type: 'running',
    start_time: '2026-03-10T01:00:00Z',
    provider: 'devicemaker',
  });
  t.match(lines[3], { kind: 'sleep', start_time: '2026-03-10T22:13:20Z', asleep_seconds: 6000 });
  t.match(lines[4], { kind: 'day', date: '2026-03-10', steps: 8640 });
  const samples = lines.filter(({ kind }) => kind === 'sample');
  t.same(
    samples.map(({ timestamp, value }) => [timestamp, value]),
    heartRateOf(start, 86_400, 5),
  );
  t.match(samples[0], {
    type: 'heart_rate',
    unit: 'bpm',
    source: { provider: 'devicemaker' },
    zone_offset_minutes: 0,
  });
  t.same(lines.at(-1), { kind: 'end', lines: lines.length - 1 });
});

t.test(
  'the export of a user without data has the user, audit entries and an end; an unknown user is 404, a bad id 422',
  async (t) => {
    const empty = await createUser(api);
    // Without reads: they are counted a second later.
    const kinds = 'kinds=user,connection,workout,sleep,day,other,sample,audit';
    const answer = await api.ask(`/api/v1/users/${empty}/export?${kinds}`, { key: api.apiKey });
    t.same(
      linesOf(answer.text).map(({ kind }) => kind),
      ['user', 'audit', 'audit', 'end'],
    );
    await api.expect(404, '/users/00000000-0000-4000-8000-000000000000/export');
    await api.expect(422, '/users/7/export');
  },
);

const kindsOf = (text: string) => [...new Set(linesOf(text).map(({ kind }) => kind))];
const exported = (query: string) => api.ask(`${path}?${query}`, { key: api.apiKey });

t.test('an export has the requested kinds and its end', async (t) => {
  const all = linesOf((await exported('')).text);
  for (const kinds of [['workout'], ['sample'], ['connection', 'day'], ['sleep', 'user']]) {
    const lines = linesOf((await exported(`kinds=${kinds.join(',')}`)).text);
    t.strictSame(
      lines.slice(0, -1),
      all.filter(({ kind }) => kinds.includes(kind)),
      kinds.join(),
    );
    t.strictSame(lines.at(-1), { kind: 'end', lines: lines.length - 1 });
  }
  t.match((await exported('kinds=workouts')).body, {
    errors: [
      { field: 'kinds', message: /^"workouts" is unknown; the nearest are workout, workout_track and / },
    ],
  });
  const unknown = '/api/v1/users/00000000-0000-4000-8000-000000000000/export?kinds=sample';
  t.equal((await api.ask(unknown, { key: api.apiKey })).status, 404, 'of an unknown user too');
});

t.test('an export since a time has events and samples from then on, and days from its date on', async (t) => {
  const all = linesOf((await exported('')).text);
  const since = async (time: string) =>
    linesOf((await exported(`since=${time}&kinds=workout,sleep,sample`)).text);
  const beginOf = ({ timestamp, start_time }: z.infer<typeof Line>) =>
    Date.parse(String(timestamp ?? start_time));
  for (const time of [
    '2026-03-10T01:00:00Z',
    '2026-03-10T01:00:01Z',
    '2026-03-10T12:00:00Z',
    '2026-03-10',
    '2026-03-11',
  ]) {
    const wanted = all.filter(
      (line) => ['workout', 'sleep', 'sample'].includes(line.kind) && beginOf(line) >= Date.parse(time),
    );
    t.strictSame((await since(time)).slice(0, -1), wanted, time);
  }
  const daysSince = async (time: string) =>
    linesOf((await exported(`since=${time}&kinds=day`)).text).length - 1;
  t.strictSame(
    await Promise.all(['2026-03-09', '2026-03-10', '2026-03-10T23:59:59Z', '2026-03-11'].map(daysSince)),
    [1, 1, 1, 0],
  );
  t.ok(kindsOf((await exported('since=2026-03-11')).text).includes('user'), 'the user is there at any time');
  t.ok(kindsOf((await exported('since=1970-01-01')).text).includes('end'), 'since 1970');
  t.same(kindsOf((await exported('since=2200-01-01&kinds=audit')).text), ['end']);
  t.same(kindsOf((await exported('since=2000-01-01&kinds=audit')).text), ['audit', 'end']);
});

t.test('a day total belongs to its local date in any zone', async (t) => {
  const far = await createWearer(api);
  const day = fullDay({ account: far.account, startMs: Date.UTC(2026, 2, 9, 10), seconds: 86_400, seed: 1 });
  await push(api, { dailies: [{ ...day, calendarDate: '2026-03-10', startTimeOffsetInSeconds: 14 * 3600 }] });
  const of = async (since: string) => {
    const answer = await api.ask(`/api/v1/users/${far.userId}/export?kinds=day&since=${since}`, {
      key: api.apiKey,
    });
    return linesOf(answer.text).map(({ date }) => date);
  };
  t.strictSame(await of('2026-03-10'), ['2026-03-10', undefined]);
  t.strictSame(await of('2026-03-11'), [undefined]);
});

t.test('the gateway works on after a client disconnects in the middle', async (t) => {
  await new Promise<void>((resolve, reject) => {
    const request = get(`${api.url}${path}`, { headers: { 'X-API-Key': api.apiKey } }, (response) => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    });
    request.on('error', reject);
  });
  t.equal((await api.ask('/api/v1/health')).status, 200);
});

t.test(
  'an export has intervals with their ends, also when more start together than a page has',
  async (t) => {
    const user = await createUser(api);
    const at = start + 3_600_000;
    const interval = (n: number, start_ms: number) => ({
      ...{ id: `walk ${n}`, type: 'steps' as const, source: 0, start_ms, end_ms: start_ms + 60_000 + n },
      ...{ value: n, zone_offset_minutes: 60 },
    });
    const together = Array.from({ length: 5001 }, (_, n) => interval(n, at));
    const last = interval(9999, at + 60_000);
    const sources = [{ device_type: 'watch' as const, device: 'Watch' }];
    for (const all = [...together, last]; all.length > 0; )
      await api.call('timeseries.storeIntervals', {
        ...{ user_id: user, provider: 'devicemaker', sources, intervals: all.splice(0, 1000) },
      });
    const lines = linesOf(
      (await api.ask(`/api/v1/users/${user}/export?kinds=sample`, { key: api.apiKey })).text,
    );
    const values = lines.flatMap(({ kind, value }) => (kind === 'sample' ? [Number(value)] : []));
    t.strictSame(
      values.toSorted((a, b) => a - b),
      [...together.keys(), 9999],
    );
    t.match(lines.at(-2), {
      ...{
        type: 'steps',
        timestamp: '2026-03-10T01:01:00Z',
        end_time: '2026-03-10T01:02:09.999Z',
        value: 9999,
      },
      ...{ unit: 'count', zone_offset_minutes: 60, source: { device: 'Watch' } },
    });
  },
);
