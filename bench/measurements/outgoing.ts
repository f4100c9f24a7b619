import type pg from 'pg';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { inRounds } from '../rounds.ts';
import { backfillUser, providerSettings, startProviders } from '../webhooks/backfill-user.ts';
import { changedTypes, delayAt, delaysOf } from '../webhooks/changes.ts';
import {
  deleteEndpoints,
  disabledByRule,
  drained,
  enableOthers,
  insertEndpoints,
} from '../webhooks/endpoints.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

/** A rate that is this much lower is not the one that was asked for. */
const leastShare = 0.98;

/** A process of the endpoints, and a product that may send to them. */
async function openScene(bench: Bench) {
  const receiver = bench.use(await startReceiver());
  const opened = await bench.startEmpty('webhooks', { WEBHOOK_ENDPOINT_ORIGINS: receiver.origin });
  return { ...opened, receiver };
}

/** Outgoing webhooks: from the commit of a change to its receipt. */
export const webhooks: Measurement = {
  name: 'webhooks',
  title: 'Outgoing webhooks',
  hasOwnData: true,
  async *lines(bench) {
    const { seconds, perSecond, perSecondToEach } = bench.sizes.webhooks;
    yield `Users, connections, workouts and nights that are created, changed and deleted in the database for ${seconds} s, after a run that is not counted; their triggers record the changes. All services are one process, the endpoints another. The time is that from the begin of the change's transaction to its receipt. First ${perSecond} changes a second, each to one of 10 endpoints; then ${perSecondToEach} a second, each to all of 10.`;
    const { pool, receiver } = await openScene(bench);
    for (const [to, rate, types] of [
      ['one of 10 endpoints', perSecond, changedTypes],
      ['all of 10 endpoints', perSecondToEach, []],
    ] as const) {
      await insertEndpoints(pool, receiver.origin, { way: 'ok', count: 10, types });
      const round = () => delaysOf(pool, receiver, { perSecond: rate, ms: seconds * 1000 });
      const [runs = []] = await inRounds(1, [round]);
      const what = `${rate} changes/s, each to ${to}`;
      const reached = runs.map((run) => run.reached);
      const goal = { least: leastShare * rate };
      yield { what: `${what}: rate that was reached for ${seconds} s`, value: reached, unit: '/s', goal };
      for (const [name, share, most] of [
        ['p50', 0.5, 100],
        ['p99', 0.99, 1000],
      ] as const) {
        const value = runs.map(({ delaysMs }) => delayAt(delaysMs, share));
        yield { what: `${what}: ${name}`, value, unit: 'ms', goal: { most } };
      }
      await deleteEndpoints(pool);
    }
  },
};

const [each, good] = [10, 70];

/** Outgoing webhooks: the cost of endpoints that fail for those that do not. */
export const endpoints: Measurement = {
  name: 'endpoints',
  title: 'Endpoints that fail',
  hasOwnData: true,
  async *lines(bench) {
    const { toEach: perSecond, roundSeconds } = bench.sizes.webhooks;
    yield `${perSecond} changes a second for ${roundSeconds} s, each to all endpoints, in rounds in turn. A: 100 endpoints, of which ${each} never answer, ${each} answer 500 and ${each} answer after 10 s; B: the other ${good} only. The heap is that of the process with all services after a collection, after each round of A, and its growth that of a line through them. Then the failures are dated five days back.`;
    const { pool, product, receiver } = await openScene(bench);
    for (const [way, count] of [
      ['ok', good],
      ['silent', each],
      ['error', each],
      ['slow', each],
    ] as const)
      await insertEndpoints(pool, receiver.origin, { way, count });
    const sideOf = (withOthers: boolean) => async () => {
      await enableOthers(pool, withOthers);
      const { delaysMs } = await delaysOf(pool, receiver, { perSecond, ms: roundSeconds * 1000 });
      return { delaysMs, megabytes: withOthers ? (await product.heapBytes()) / 1024 ** 2 : 0 };
    };
    const [a = [], b = []] = await inRounds(bench.sizes.rounds, [sideOf(true), sideOf(false)]);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const delays = (rounds: typeof a) => rounds.map(({ delaysMs }) => delayAt(delaysMs, share));
      const what = `${good} good endpoints of 100: ${name}`;
      yield { what, figures: [delays(a), delays(b)], unit: 'ms', goal: { most: 1.05 } };
    }
    const heap = a.map(({ megabytes }) => megabytes);
    const what = 'heap of all services in use';
    yield { what: `${what} after the last round`, value: heap.at(-1) ?? 0, unit: 'MB' };
    yield { what: `${what}: growth a round`, value: slopeOf(heap), unit: 'MB', goal: { most: 1 } };
    yield await disabledRow(pool);
  },
};

/** The slope of a least-squares line through values at equal distances. */
function slopeOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const weighted = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return weighted / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}

async function disabledRow(pool: pg.Pool): Promise<Line> {
  const { disabled, audited, published } = await disabledByRule(pool, 2 * each);
  const isAll = disabled === 2 * each && audited === disabled && published === disabled;
  return {
    what: 'failing endpoints that were disabled after five days',
    a: String(disabled),
    b: `${audited} audit entries, ${published} events`,
    goal: String(2 * each),
    verdict: isAll ? 'met' : 'missed',
  };
}

/** The messages that a backfill makes. */
export const backfill: Measurement = {
  name: 'backfill',
  title: 'Messages of a backfill',
  hasOwnData: true,
  async *lines(bench) {
    yield `${bench.sizes.backfillDays} days of one user, whose data a simulated device maker pushes on request, and one endpoint for all types of events. A: changes are joined for 30 s, the default; B: they are not joined. The simulated clock is advanced, so that a backfill takes less time than a real one. A slow one makes more messages than A and fewer than B.`;
    const receiver = bench.use(await startReceiver());
    const [a, b] = [await backfilled(bench, receiver, '30'), await backfilled(bench, receiver, '0')];
    for (const [what, column] of [
      ['samples stored', 'samples'],
      ['workouts, nights and days stored', 'records'],
      ['changes published', 'changes'],
      ['requests that an endpoint receives', 'received'],
    ] as const)
      yield { what, figures: [[a[column]], [b[column]]], unit: '' };
    const what = 'requests that an endpoint receives, by default';
    yield { what, value: a.received, unit: '', goal: { most: 1000 } };
    yield { what: 'samples for each request, by default', value: a.samples / a.received, unit: '' };
  },
};

async function backfilled(bench: Bench, receiver: Receiver, joinSeconds: string) {
  const sandbox = bench.use(await startProviders());
  const settings = {
    ...providerSettings(sandbox),
    WEBHOOK_ENDPOINT_ORIGINS: receiver.origin,
    CHANGE_JOIN_HISTORICAL_SECONDS: joinSeconds,
    // A type without data ends after this time.
    BACKFILL_WAIT_SECONDS: '20',
    BACKFILL_DAYS: String(bench.sizes.backfillDays),
  };
  const { pool, product } = await bench.startEmpty(`backfill_${joinSeconds}`, settings);
  await insertEndpoints(pool, receiver.origin, { way: 'ok', count: 1 });
  await receiver.times();
  await backfillUser(sandbox, product);
  await drained(pool);
  const received = (await receiver.times()).length;
  await product.stop();
  return { ...(await storedCounts(pool)), received };
}

type Stored = Record<'samples' | 'records' | 'changes', number>;

async function storedCounts(pool: pg.Pool): Promise<Stored> {
  const { rows } = await pool.query<Stored>(`
    select (select count(*)::int from timeseries.sample) as samples,
      (select count(*)::int from timeseries.workout) + (select count(*)::int from timeseries.sleep_session)
        + (select count(*)::int from timeseries.provider_day) as records,
      (select count(*)::int from changes.change) as changes`);
  const [row] = rows;
  if (row === undefined || row.samples === 0) throw new Error('the backfill stored nothing');
  return row;
}
