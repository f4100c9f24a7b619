import t from 'tap';
import type { PullRequest } from '../../../domain/provider/pulled-provider.ts';
import type { FileProblem } from '../../../domain/provider/record-file.ts';
import { wahoo } from '../../../providers/wahoo/provider.ts';
import { types } from '../../../providers/wahoo/records.ts';
import { bodies, planned, ride, run } from '../../fixtures/wahoo/bodies.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');

function made(...list: readonly object[]) {
  const { activities } = types;
  if (activities === undefined) throw new Error('no type activities');
  return activities.normalise({ records: { list }, span: null, nowMs });
}

t.test('a workout of a plan without a summary was not ridden', async (t) => {
  const { items, skipped } = made(ride, planned, { ...planned, id: 1, plan_id: '112' });
  t.same(
    items.map(({ key }) => key),
    [String(ride.id)],
  );
  t.same(skipped, { planned: 2 });
  // Nothing was measured, but it was not planned either.
  t.same(made({ ...planned, plan_id: null }).skipped, { no_values: 1 });
  t.equal(made({ ...run, plan_id: 112 }).items.length, 1, 'a plan that was ridden');
});

t.test('the zone of the workout decides its offset, and 0 of a sensor is no value', async (t) => {
  t.match(made(...bodies.activities).items, [
    {
      workout: {
        start_ms: Date.parse('2026-03-01T08:00:00Z'),
        zone_offset_minutes: 120,
        duration_seconds: 3725,
        moving_seconds: 3600,
        distance_meters: 30_120.5,
        avg_heart_rate_bpm: 141,
        raw_type: 'road_biking',
        type: 'cycling',
      },
      extras: { details: { avg_power_watts: 187, work_kilojoules: 673.2, activity_id: '451769692' } },
    },
    {
      workout: { avg_heart_rate_bpm: null, raw_type: 'running', type: 'running' },
      extras: { details: { avg_power_watts: 231 } },
    },
  ]);
  const summer = { ...ride, starts: '2026-05-01T08:00:00.000Z' };
  t.match(made(summer).items, [{ workout: { zone_offset_minutes: 180 } }]);
  t.notOk(made(run).items[0]?.extras?.details?.avg_cadence_rpm);
});

t.test('a ride of another app has a source of its own', async (t) => {
  t.same(
    made(...bodies.activities).items.map(({ workout }) => workout?.device),
    ['app 1044', 'Wahoo'],
  );
});

t.test('the address of a file is kept nowhere', async (t) => {
  t.notMatch(JSON.stringify(made(...bodies.activities)), /cdn\.wahooligan/);
});

t.test('samples that are stored stay while their file cannot be had', (t) => {
  const { activities } = types;
  const address = ride.workout_summary.file.url;
  const kept = (problem: FileProblem) =>
    activities
      ?.normalise({ records: { list: [ride] }, span: null, nowMs, files: new Map([[address, problem]]) })
      .items.map(({ samples_kept }) => samples_kept);
  t.same(kept('file_unavailable'), [true]);
  t.same(kept('file_missing'), [true]);
  t.same(kept('file_unreadable'), [false]);
  t.same(
    made(ride).items.map(({ samples_kept }) => samples_kept),
    [false],
  );
  t.end();
});

const workouts = types.activities?.passes.list;

/** The requests of a read, of which each is answered by the body at its path and page. */
function requestsOf(span: { startMs: number; endMs: number }, answer: (request: PullRequest) => unknown) {
  const asked: string[] = [];
  const records: unknown[] = [];
  for (let page: string | null = null; workouts !== undefined; ) {
    const part = { span, cursor: null, page, nowMs };
    const request = workouts.request({}, part);
    asked.push(`${request.path} ${request.query?.page ?? ''}`.trim());
    const text = JSON.stringify(answer(request));
    const read = workouts.read({ status: 200, headers: {}, text }, part);
    records.push(...(read?.records ?? []));
    page = read?.next ?? null;
    if (page === null) break;
  }
  return { asked, records };
}

const hourMs = 3_600_000;
const listed = (index: number) => ({
  ...ride,
  id: index,
  starts: new Date(nowMs - index * hourMs).toISOString(),
});

t.test('reads pages until one ends before the span', async (t) => {
  const answer = ({ query }: PullRequest) => {
    const page = Number(query?.page ?? 1);
    const workouts = Array.from({ length: 100 }, (_, index) => listed((page - 1) * 100 + index));
    return { workouts, total: 1000, page, per_page: 100, order: 'descending', sort: 'starts' };
  };
  const span = { startMs: nowMs - 150 * hourMs, endMs: nowMs - 120 * hourMs };
  const { asked, records } = requestsOf(span, answer);
  t.same(asked, ['/v1/workouts', '/v1/workouts 2']);
  t.equal(records.length, 30);
});

t.test('reads a workout that the list shows without its summary, but no plan', async (t) => {
  const { workout_summary: _, ...bare } = listed(2);
  const workouts = [listed(1), { ...bare, plan_id: null }, { ...bare, id: 3, plan_id: 112 }];
  const answer = ({ path }: PullRequest) => (path === '/v1/workouts' ? { workouts } : listed(2));
  const span = { startMs: nowMs - 10 * hourMs, endMs: nowMs };
  const { asked, records } = requestsOf(span, answer);
  t.same(asked, ['/v1/workouts', '/v1/workouts/2']);
  const { items, skipped } = made(...records.filter((one) => typeof one === 'object' && one !== null));
  t.same(items.map(({ key }) => key).sort(), ['1', '2']);
  t.same(skipped, { planned: 1 });
});

t.test('a notification names its workout under either name of its members', async (t) => {
  const { read, example } = wahoo.pull.notifications;
  const hintsOf = (body: object) => read(Buffer.from(JSON.stringify(body)));
  const startMs = Date.parse('2026-03-01T08:00:00Z');
  const hint = {
    kind: 'changed',
    account: '60462',
    types: ['activities'],
    span: { startMs, endMs: startMs + 1 },
    id: '140473420',
  };
  t.same(hintsOf(example), [hint]);
  const { event_type: event, ...others } = example;
  t.same(hintsOf({ ...others, event }), [hint]);
  const { workout, ...summary } = example.workout_summary;
  t.same(hintsOf({ ...example, workout_summary: summary, workout }), [hint]);
  t.same(hintsOf({ ...example, event_type: 'plan' }), []);
  t.equal(hintsOf({ user: { id: 60462 } }), null);
});
