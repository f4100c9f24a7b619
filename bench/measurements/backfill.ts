import pg from 'pg';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, type Row, singleRow } from '../row.ts';
import { backfillUser, providerSettings, startProviders } from '../webhooks/backfill-user.ts';
import { drained, insertEndpoints } from '../webhooks/endpoints.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const mostMessages = 1000;

/** The messages that a backfill makes. */
export const backfill: Measurement = {
  name: 'backfill',
  hasOwnData: true,
  async run(bench) {
    const { days } = bench.sizes.backfill;
    const receiver = await startReceiver();
    try {
      const joined = await countsOf(bench, receiver, '30');
      const apart = await countsOf(bench, receiver, '0');
      return {
        title: 'Messages of a backfill',
        about: `${days} days of one user, whose data a simulated device maker pushes on request, and one endpoint for all types of events. A: changes are joined for 30 s, the default; B: they are not joined. The simulated clock is advanced, so that a backfill takes less time than a real one. A slow one makes more messages than A and fewer than B.`,
        rows: rowsOf(joined, apart),
      };
    } finally {
      await receiver.stop();
    }
  },
};

interface Counts {
  readonly samples: number;
  readonly records: number;
  readonly changes: number;
  /** Requests that the endpoint received. */
  readonly received: number;
}

async function countsOf(bench: Bench, receiver: Receiver, joinSeconds: string): Promise<Counts> {
  const databaseUrl = await freshDatabase(bench, bench.sizes);
  const sandbox = await startProviders();
  const settings = {
    ...providerSettings(sandbox),
    WEBHOOK_ENDPOINT_ORIGINS: receiver.origin,
    CHANGE_JOIN_HISTORICAL_SECONDS: joinSeconds,
    // A type without data ends after this time.
    BACKFILL_WAIT_SECONDS: '20',
    BACKFILL_DAYS: String(bench.sizes.backfill.days),
  };
  const product = await startProduct({ databaseUrl, settings });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    await insertEndpoints(pool, receiver.origin, { way: 'ok', count: 1 });
    await receiver.times();
    await backfillUser(sandbox, product);
    await drained(pool);
    return { ...(await stored(pool)), received: (await receiver.times()).length };
  } finally {
    await pool.end();
    await product.stop();
    await sandbox.stop();
  }
}

async function stored(pool: pg.Pool): Promise<Omit<Counts, 'received'>> {
  const { rows } = await pool.query<Omit<Counts, 'received'>>(`
    select (select count(*)::int from timeseries.sample) as samples,
      (select count(*)::int from timeseries.workout) + (select count(*)::int from timeseries.sleep_session)
        + (select count(*)::int from timeseries.provider_day) as records,
      (select count(*)::int from changes.change) as changes`);
  const [row] = rows;
  if (row === undefined || row.samples === 0) throw new Error('the backfill stored nothing');
  return row;
}

function rowsOf(joined: Counts, apart: Counts): Row[] {
  const pair = (what: string, of: (counts: Counts) => number) =>
    pairRow({ what, a: figuresOf([of(joined)]), b: figuresOf([of(apart)]), unit: '' });
  return [
    pair('samples stored', ({ samples }) => samples),
    pair('workouts, nights and days stored', ({ records }) => records),
    pair('changes published', ({ changes }) => changes),
    pair('requests that an endpoint receives', ({ received }) => received),
    singleRow({
      what: 'requests that an endpoint receives, by default',
      ...{ value: joined.received, unit: '', goal: { most: mostMessages } },
    }),
    singleRow({
      what: 'samples for each request, by default',
      ...{ value: joined.samples / joined.received, unit: '' },
    }),
  ];
}
