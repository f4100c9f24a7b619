import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadConfig } from '../../config.ts';
import { dayMs } from '../../domain/time.ts';
import { createBroker } from '../../runtime/broker.ts';
import { typedCall } from '../../runtime/environment.ts';
import { activitynetIngestService } from '../../services/activitynet-ingest/activitynet-ingest.service.ts';
import timeseries from '../../services/timeseries/timeseries.service.ts';
import users from '../../services/users/users.service.ts';
import { account } from './events.ts';
import { limits, type Platform, quarterMs, settingsOf, startPlatform } from './platform.ts';
import { countWaiting, fillQueue } from './waiting.ts';

const readsEach = 2;
const secret = 'the bench needs no secret that is secret';
const idleMs = 60;
/** A little behind a window's turn, where reading begins. */
const afterTurnMs = 5000;
const mostWindows = 400;

/** What a simulation came to, from midnight to the last activity that was stored. */
export interface Simulated {
  readonly tookMs: number;
  readonly reads: number;
  readonly refused: number;
}

/** How long fetches that wait at midnight take, from their number and the limits: to the start of the last window. */
export function reckonedMs(count: number): number {
  const before = count * readsEach - 1;
  return (
    Math.floor(before / limits.day) * dayMs + Math.floor((before % limits.day) / limits.quarter) * quarterMs
  );
}

/** The same by the service itself, with its clock and the platform's turned on whenever it has to wait. */
export async function simulate(databaseUrl: string, count: number): Promise<Simulated> {
  const platform = await startPlatform();
  platform.aheadMs = dayMs - (Date.now() % dayMs) + afterTurnMs;
  const midnight = Date.now() + platform.aheadMs - afterTurnMs;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const broker = brokerOf(databaseUrl, platform);
  try {
    await startPerson(broker, () => fillQueue(pool, count));
    await untilFetched(pool, platform);
    const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from timeseries.workout');
    if (rows[0]?.n !== count) throw new Error(`${rows[0]?.n} of ${count} activities were stored`);
    const tookMs = Date.now() + platform.aheadMs - midnight;
    return { tookMs, reads: platform.reads(), refused: platform.refused() };
  } finally {
    await broker.stop();
    await pool.end();
    await platform.stop();
  }
}

function brokerOf(databaseUrl: string, platform: Platform) {
  const config = loadConfig({
    ...settingsOf(platform),
    ...{ DATABASE_URL: databaseUrl, LOG_LEVEL: 'fatal', JWT_SECRET: secret, ENCRYPTION_KEY: secret },
  });
  const ingest = activitynetIngestService({ spacingMs: 0, pollMs: 20, aheadMs: () => platform.aheadMs });
  return createBroker({ config, services: [users, timeseries, ingest], namespace: 'bench-simulation' });
}

async function startPerson(broker: ReturnType<typeof brokerOf>, fill: () => Promise<void>): Promise<void> {
  await broker.start();
  const call = typedCall(broker);
  const { id } = await call('users.create', {});
  await call('users.connect', {
    ...{ user_id: id, provider: 'activitynet', provider_user_id: account, access_token: 'a token' },
  });
  await fill();
}

// The clock is turned only when nothing is in work and nothing was read for a while: what waits, waits for it.
async function untilFetched(pool: pg.Pool, platform: Platform): Promise<void> {
  for (let windows = 0; windows < mostWindows; windows++) {
    await untilIdle(pool, platform);
    if ((await countWaiting(pool)).waiting === 0) return;
    const isDayUsed = platform.reads() % limits.day === 0;
    const width = isDayUsed ? dayMs : quarterMs;
    platform.aheadMs += width - ((Date.now() + platform.aheadMs) % width) + afterTurnMs;
  }
  throw new Error('the simulation does not come to its end');
}

async function untilIdle(pool: pg.Pool, platform: Platform): Promise<void> {
  for (let still = 0, before = -1; still < 3; ) {
    await sleep(idleMs);
    const { held } = await countWaiting(pool);
    still = held === 0 && platform.reads() === before ? still + 1 : 0;
    before = platform.reads();
  }
}
