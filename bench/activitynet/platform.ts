import { createServer, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { dayMs } from '../../domain/time/time.ts';

/** A simulated activity platform on loopback. Every activity exists, and reads beyond the limits are refused. */
export interface Platform {
  readonly url: string;
  /** How far its clock is ahead of the real one. */
  aheadMs: number;
  reads(): number;
  refused(): number;
  stop(): Promise<void>;
}

/** The limits of an ordinary application. */
export const limits = { quarter: 100, day: 1000 } as const;

/** The length of the windows. */
export const quarterMs = 900_000;

const Address = z.object({ port: z.int() });

/** Starts the platform with unused limits. */
export async function startPlatform(): Promise<Platform> {
  const used = new Map<string, number>();
  let [reads, refused] = [0, 0];
  const count = (width: number) => {
    const window = `${width}/${Math.floor((Date.now() + platform.aheadMs) / width)}`;
    used.set(window, (used.get(window) ?? 0) + 1);
    return used.get(window) ?? 0;
  };
  const server = createServer(({ url = '' }, response) => {
    const usage = { quarter: count(quarterMs), day: count(dayMs) };
    const isOver = usage.quarter > limits.quarter || usage.day > limits.day;
    reads += 1;
    refused += isOver ? 1 : 0;
    answer(response, isOver ? 429 : 200, usage, bodyOf(url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = Address.parse(server.address());
  const platform: Platform = {
    url: `http://127.0.0.1:${port}`,
    aheadMs: 0,
    reads: () => reads,
    refused: () => refused,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return platform;
}

function answer(
  response: ServerResponse,
  status: number,
  usage: { quarter: number; day: number },
  body: object,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-readratelimit-limit': `${limits.quarter},${limits.day}`,
    'x-readratelimit-usage': `${usage.quarter},${usage.day}`,
  });
  response.end(JSON.stringify(status === 200 ? body : { message: 'Rate Limit Exceeded' }));
}

const seconds = 600;
const firstMs = Date.UTC(2026, 0, 1);

// An activity of ten minutes with a sample every ten seconds. Its start follows from its id: one per hour.
function bodyOf(url: string): object {
  const [, id = '0', part] = /\/activities\/(\d+)(\/streams)?/.exec(url) ?? [];
  if (part === undefined) return detailsOf(Number(id));
  const time = Array.from({ length: seconds / 10 }, (_, index) => index * 10);
  return { time: { data: time }, heartrate: { data: time.map((second) => 120 + (second % 40)) } };
}

function detailsOf(id: number): object {
  const start = new Date(firstMs + (id % 2000) * 3_600_000).toISOString();
  return {
    ...{ id, name: 'Run', sport_type: 'Run', start_date: start, utc_offset: 0, manual: false },
    ...{ elapsed_time: seconds, moving_time: seconds, distance: 2000, calories: 120 },
  };
}

/** The settings that point the product at the platform. */
export function settingsOf({ url }: Pick<Platform, 'url'>): Record<string, string> {
  return {
    ACTIVITYNET_API_URL: `${url}/api/v3`,
    ACTIVITYNET_OAUTH_URL: `${url}/oauth`,
    ACTIVITYNET_CLIENT_ID: 'bench',
    ACTIVITYNET_CLIENT_SECRET: 'the bench needs no secret that is secret',
    WEBHOOK_PLAIN_ANSWERS: 'full',
    ACTIVITYNET_READS_PER_15_MIN: String(limits.quarter),
    ACTIVITYNET_READS_PER_DAY: String(limits.day),
  };
}
