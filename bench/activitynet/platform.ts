import { createServer } from 'node:http';
import { dayMs, hourMs, isoTime } from '../../domain/time/time.ts';
import { listenLocally } from '../parent.ts';
import { encryptionKey } from '../product.ts';

/** A simulated activity platform on loopback. Every activity exists, and reads beyond the limits are refused. */
export interface Platform {
  readonly url: string;
  /** How far its clock is ahead of the real one. */
  aheadMs: number;
  reads: number;
  refused: number;
  stop(): void;
}

/** The limits of an ordinary application. */
export const limits = { quarter: 100, day: 1000 } as const;

/** The length of the windows. */
export const quarterMs = 900_000;

/** Starts the platform with unused limits. */
export async function startPlatform(): Promise<Platform> {
  const used = new Map<string, number>();
  const count = (width: number) => {
    const window = `${width}/${Math.floor((Date.now() + platform.aheadMs) / width)}`;
    used.set(window, (used.get(window) ?? 0) + 1);
    return used.get(window) ?? 0;
  };
  const server = createServer(({ url = '' }, response) => {
    const [quarter, day] = [count(quarterMs), count(dayMs)];
    const isOver = quarter > limits.quarter || day > limits.day;
    platform.reads += 1;
    platform.refused += isOver ? 1 : 0;
    response.writeHead(isOver ? 429 : 200, {
      'content-type': 'application/json',
      'x-readratelimit-limit': `${limits.quarter},${limits.day}`,
      'x-readratelimit-usage': `${quarter},${day}`,
    });
    response.end(JSON.stringify(isOver ? { message: 'Rate Limit Exceeded' } : bodyOf(url)));
  });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  const platform: Platform = { url: await listenLocally(server), aheadMs: 0, reads: 0, refused: 0, stop };
  return platform;
}

const seconds = 600;
const firstMs = Date.UTC(2026, 0, 1);

// An activity of ten minutes with a sample every ten seconds. Its start follows from its id: one per hour.
function bodyOf(url: string): object {
  const [, text = '0', part] = /\/activities\/(\d+)(\/streams)?/.exec(url) ?? [];
  const time = Array.from({ length: seconds / 10 }, (_, index) => index * 10);
  if (part !== undefined)
    return { time: { data: time }, heartrate: { data: time.map((second) => 120 + (second % 40)) } };
  const id = Number(text);
  return {
    id,
    name: 'Run',
    sport_type: 'Run',
    start_date: isoTime(firstMs + (id % 2000) * hourMs),
    utc_offset: 0,
    manual: false,
    distance: 2000,
    calories: 120,
    elapsed_time: seconds,
    moving_time: seconds,
  };
}

/** The settings that point the product at the platform. */
export function platformSettings({ url }: Pick<Platform, 'url'>): Record<string, string> {
  return {
    ACTIVITYNET_API_URL: `${url}/api/v3`,
    ACTIVITYNET_OAUTH_URL: `${url}/oauth`,
    ACTIVITYNET_CLIENT_ID: 'bench',
    ACTIVITYNET_CLIENT_SECRET: encryptionKey,
    ACTIVITYNET_READS_PER_15_MIN: String(limits.quarter),
    ACTIVITYNET_READS_PER_DAY: String(limits.day),
  };
}
