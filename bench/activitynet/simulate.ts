import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadConfig } from '../../config.ts';
import { dayMs } from '../../domain/time/time.ts';
import { createBroker } from '../../runtime/broker.ts';
import { typedCall } from '../../runtime/environment.ts';
import { activitynetIngestService } from '../../services/activitynet-ingest/activitynet-ingest.service.ts';
import timeseries from '../../services/timeseries/timeseries.service.ts';
import users from '../../services/users/users.service.ts';
import { encryptionKey as secret } from '../product.ts';
import { account } from './events.ts';
import { countWaiting, fillQueue } from './fetch-queue.ts';
import { limits, type Platform, platformSettings, quarterMs, startPlatform } from './platform.ts';

const readsEach = 2;
const idleMs = 60;
/** Reading begins shortly after the start of a window. */
const afterTurnMs = 5000;
const mostWindows = 400;

/** The result of a simulation, from midnight to the last stored activity. */
export interface Simulated {
  readonly tookMs: number;
  readonly reads: number;
  readonly refused: number;
}

/** The estimated time until the last window, from the number of fetches that wait at midnight and the limits. */
export function estimatedMs(count: number): number {
  const before = count * readsEach - 1;
  return (
    Math.floor(before / limits.day) * dayMs + Math.floor((before % limits.day) / limits.quarter) * quarterMs
  );
}

/** Runs the service with a simulated clock, which is advanced whenever the service has to wait. */
export async function simulate(databaseUrl: string, count: number): Promise<Simulated> {
  const platform = await startPlatform();
  platform.aheadMs = dayMs - (Date.now() % dayMs) + afterTurnMs;
  const midnight = Date.now() + platform.aheadMs - afterTurnMs;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const broker = brokerOf(databaseUrl, platform);
  try {
    await broker.start();
    const call = typedCall(broker);
    const { id } = await call('users.create', {});
    await call('users.connect', {
      user_id: id,
      provider: 'activitynet',
      provider_user_id: account,
      access_token: 'a token',
    });
    await fillQueue(pool, count);
    await untilFetched(pool, platform);
    const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from timeseries.workout');
    if (rows[0]?.n !== count) throw new Error(`${rows[0]?.n} of ${count} activities were stored`);
    const tookMs = Date.now() + platform.aheadMs - midnight;
    return { tookMs, reads: platform.reads, refused: platform.refused };
  } finally {
    await broker.stop();
    await pool.end();
    platform.stop();
  }
}

function brokerOf(databaseUrl: string, platform: Platform) {
  const config = loadConfig({
    ...platformSettings(platform),
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'fatal',
    JWT_SECRET: secret,
    ENCRYPTION_KEY: secret,
  });
  const ingest = activitynetIngestService({ spacingMs: 0, pollMs: 20, aheadMs: () => platform.aheadMs });
  return createBroker({ config, services: [users, timeseries, ingest], namespace: 'bench-simulation' });
}

// The clock is advanced only if nothing is being processed and nothing was read for a while.
async function untilFetched(pool: pg.Pool, platform: Platform): Promise<void> {
  for (let windows = 0; windows < mostWindows; windows++) {
    await untilIdle(pool, platform);
    if ((await countWaiting(pool)).waiting === 0) return;
    const isDayUsed = platform.reads % limits.day === 0;
    const width = isDayUsed ? dayMs : quarterMs;
    platform.aheadMs += width - ((Date.now() + platform.aheadMs) % width) + afterTurnMs;
  }
  throw new Error('the simulation does not come to its end');
}

async function untilIdle(pool: pg.Pool, platform: Platform): Promise<void> {
  for (let still = 0, before = -1; still < 3; ) {
    await sleep(idleMs);
    const { held } = await countWaiting(pool);
    still = held === 0 && platform.reads === before ? still + 1 : 0;
    before = platform.reads;
  }
}
