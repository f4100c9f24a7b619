import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { StageSpan } from '../../../domain/records/records.ts';
import { refusal } from '../../support/refusal.ts';
import { at, night, sleep } from './items.ts';
import { setUp, withUser } from './setting.ts';

const setting = await setUp(t);
const { call, database } = setting;
const evening = at('22:00:00');
const spans: StageSpan[] = [
  ['light', 0, 1800],
  ['deep', 1800, 5400],
  ['awake', 5460, 5500],
];

async function sleeper() {
  const user = withUser(database, call, (await call('users.create', {})).id);
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-03' };
  const idsOf = async () => (await call('timeseries.sleeps', list)).data.map(({ id }) => id);
  const stagesOf = (event_id = '') => call('timeseries.sleepStages', { user_id: user.userId, event_id });
  return { ...user, idsOf, stagesOf };
}

t.test('a night has the intervals of its stages, a nap has none', async (t) => {
  const user = await sleeper();
  const nap = sleep(at('13:00:00'), 20, { is_nap: true, date: '2026-03-02' });
  await user.store([night([sleep(evening, 480, { stage_intervals: spans }), nap])]);
  const [main, napId] = await user.idsOf();
  t.strictSame(await user.stagesOf(main), {
    id: main,
    start_time: '2026-03-01T22:00:00Z',
    end_time: '2026-03-02T06:00:00Z',
    source: { provider: 'devicemaker', device: 'Watch 7' },
    is_nap: false,
    intervals: [
      { stage: 'light', start_time: '2026-03-01T22:00:00Z', end_time: '2026-03-01T22:30:00Z' },
      { stage: 'deep', start_time: '2026-03-01T22:30:00Z', end_time: '2026-03-01T23:30:00Z' },
      { stage: 'awake', start_time: '2026-03-01T23:31:00Z', end_time: '2026-03-01T23:31:40Z' },
    ],
  });
  t.match(await user.stagesOf(napId), { id: napId, is_nap: true, intervals: null });
});

t.test('a later version of a night replaces its intervals, also with none', async (t) => {
  const user = await sleeper();
  const key = String(evening);
  await user.store([night([sleep(evening, 400, { stage_intervals: spans })], { key })]);
  const [id] = await user.idsOf();
  await user.store([night([sleep(evening, 480, { stage_intervals: spans.slice(0, 1) })], { key })]);
  t.strictSame(await user.idsOf(), [id]);
  t.equal((await user.stagesOf(id)).intervals?.length, 1);
  await user.store([night([sleep(evening, 500)], { key })]);
  t.equal((await user.stagesOf(id)).intervals, null);
  await user.store([night([sleep(evening, 300, { stage_intervals: spans })], { key })]);
  t.equal((await user.stagesOf(id)).intervals, null, 'a shorter version does not count');
});

const details = {
  ...{ validation: 'ENHANCED_FINAL', score_qualifier: 'GOOD', latency_seconds: 420 },
  score_parts: [{ name: 'stress', value: null, qualifier: 'FAIR' }],
  extra: { totalNapDurationInSeconds: 600 },
};

t.test('a single session has its score, validation and stages, a list on request', async (t) => {
  const user = await sleeper();
  const full = { score: 81, unmeasurable_seconds: 60, interruptions: 1, details, stage_intervals: spans };
  await user.store([night([sleep(evening, 480, full), sleep(at('13:00:00'), 20, { is_nap: true })])]);
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-03' };
  const [plain] = (await call('timeseries.sleeps', list)).data;
  t.notOk(plain !== undefined && ('score' in plain || 'stages_timeline' in plain), 'not in a plain list');
  const single = await call('timeseries.sleep', { user_id: user.userId, event_id: plain?.id ?? '' });
  const shown = {
    ...plain,
    ...{ unmeasurable_seconds: 60, latency_seconds: 420, interruptions_count: 1 },
    validation: 'ENHANCED_FINAL',
    score: { value: 81, qualifier: 'GOOD', components: details.score_parts },
    stages_timeline: (await user.stagesOf(plain?.id)).intervals,
    extra: details.extra,
  };
  t.strictSame(single, shown);
  const { data } = await call('timeseries.sleeps', { ...list, include: 'timeline' });
  const nothing = { unmeasurable_seconds: null, latency_seconds: null, interruptions_count: null };
  t.strictSame(data[0], shown);
  t.match(data[1], { ...nothing, validation: null, score: null, stages_timeline: null, extra: null });
});

t.test('pages of sessions with many intervals have fewer sessions, and none is lost', async (t) => {
  const user = await sleeper();
  const many = Array.from({ length: 2000 }, (_, n): StageSpan => ['light', n, n + 1]);
  const starts = [0, 1, 2, 3, 4].map((n) => at(`${10 + n}:00:00`));
  await user.store(starts.map((ms) => night([sleep(ms, 40, { stage_intervals: many })])));
  const list = { user_id: user.userId, start_date: '2026-03-01', end_date: '2026-03-02' };
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length < 9; ) {
    const page = await call('timeseries.sleeps', { ...list, include: ['timeline'], limit: 4, cursor });
    pages.push(page.data.map(({ id }) => id));
    cursor = page.pagination.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  t.same(
    pages.map(({ length }) => length),
    [2, 2, 1],
  );
  t.same(pages.flat(), await user.idsOf());
});

t.test('an export has the intervals with their times', async (t) => {
  const user = await sleeper();
  await user.store([night([sleep(evening, 480, { stage_intervals: spans })])]);
  const { records } = await call('timeseries.exportRecords', {
    ...{ user_id: user.userId, kind: 'sleep', after: null, limit: 10 },
  });
  const [id] = await user.idsOf();
  t.strictSame(records[0]?.stage_intervals, (await user.stagesOf(id)).intervals);
});

t.test("an unknown session, and another user's, is 404", async (t) => {
  const [user, other] = [await sleeper(), await sleeper()];
  await other.store([night([sleep(evening, 480)])]);
  await t.rejects(user.stagesOf(randomUUID()), refusal('RECORD_NOT_FOUND'));
  await t.rejects(user.stagesOf((await other.idsOf())[0]), refusal('RECORD_NOT_FOUND'));
});
