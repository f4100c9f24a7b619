import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { z } from 'zod';
import { type ProviderName, providers, pulledNames } from '../../../providers/all.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { unlimited } from '../../conformance/unlimited.ts';
import { createUser, joinApi, type TestApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { fast } from './setting.ts';

const dayMs = 86_400_000;

const Backfill = z.object({
  status: z.string(),
  reason: z.string().nullable(),
  types: z.array(
    z.object({
      type: z.string(),
      status: z.string(),
      reason: z.string().nullable(),
      items: z.int(),
      skipped: z.array(z.object({ reason: z.string(), records: z.int() })),
    }),
  ),
});
type Backfill = z.output<typeof Backfill>;

/** The product, and a server that answers for every provider whose data is read. */
export interface Answering {
  readonly api: TestApi;
  /** The answers by path, of Withings with `?` and the action. A path without one is 404, of Withings an empty list. */
  readonly answers: Map<string, unknown>;
  /** The paths with their queries as they were requested. */
  readonly requested: string[];
  /** A new user with a connection that was made with a token. */
  connected(provider: ProviderName, fields?: Record<string, unknown>): Promise<string>;
  /** Reads the past by a backfill, and waits for its end. */
  backfilled(userId: string, provider: ProviderName, choice?: Record<string, unknown>): Promise<Backfill>;
}

const emptyWithings = { measuregrps: [], activities: [], series: [], devices: [], more: false, offset: 0 };

/** Starts both. */
export async function startAnswering(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<Answering> {
  const answers = new Map<string, unknown>();
  const requested: string[] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    requested.push(`${pathname}${search}`);
    const isWithings = form.has('action');
    const name = isWithings ? `${pathname}?${form.get('action')}` : pathname;
    const answer = answers.get(name);
    response.setHeader('content-type', 'application/json');
    if (isWithings) response.end(JSON.stringify({ status: 0, body: answer ?? emptyWithings }));
    else response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const urls = Object.fromEntries(
    [...pulledNames, 'activitynet' as const].map((name) => [providers[name].names.apiUrl, url]),
  );
  const api = await joinApi(t, {
    database: await freshDatabase(t),
    settings: {
      ...urls,
      ...unlimited,
      ...{ BACKFILL_ON_CONNECT: 'false', SANDBOX: 'off' },
      ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000' },
      ...settings,
    },
    instead: [pullIngestService({ ...fast, firstUpkeepMs: 50 })],
  });
  const path = (userId: string, provider: string) => `/users/${userId}/connections/${provider}/backfill`;
  return {
    ...{ api, answers, requested },
    async connected(provider, fields = {}) {
      const userId = await createUser(api, fields);
      const body = {
        ...{ provider, provider_user_id: userId, access_token: 'a token' },
        expires_at: new Date(Date.now() + dayMs).toISOString(),
        scope: [
          'activity:read_all',
          'accesslink.read_all',
          'user.metrics',
          'user.activity',
          'read:recovery',
          'read:sleep',
          'results:read',
        ],
      };
      await api.expect(201, `/users/${userId}/connections`, { body });
      return userId;
    },
    async backfilled(userId, provider, choice = { days: 20 }) {
      await api.expect(202, path(userId, provider), { method: 'POST', body: choice });
      let backfill: Backfill | null = null;
      await until(async () => {
        backfill = Backfill.parse(await api.expect(200, path(userId, provider)));
        return backfill.status !== 'running';
      });
      return Backfill.parse(backfill);
    },
  };
}

/**
 * A file of the cases with all of its dates and times moved by whole days, so that its last one is three days ago. Times since
 * 1970 have ten digits, or thirteen.
 */
export function recentCase(path: string): { readonly body: unknown; readonly movedMs: number } {
  const content = readFileSync(join(import.meta.dirname, '../../fixtures/cases', path), 'utf8');
  const dates = [...content.matchAll(/\d{4}-\d\d-\d\d/g)].map(([date]) => Date.parse(date));
  const seconds = [...content.matchAll(/\b1[78]\d{8}(\d{3})?\b/g)].map(([digits]) =>
    Number(digits.padEnd(13, '0')),
  );
  const lastMs = Math.max(...dates, ...seconds);
  const movedMs = Math.floor((Date.now() - 3 * dayMs - lastMs) / dayMs) * dayMs;
  const moved = content
    .replaceAll(/\d{4}-\d\d-\d\d/g, (date) => new Date(Date.parse(date) + movedMs).toISOString().slice(0, 10))
    .replaceAll(/\b1[78]\d{8}(\d{3})?\b/g, (digits, ms) =>
      String(Number(digits) + (ms === undefined ? movedMs / 1000 : movedMs)),
    );
  return { body: JSON.parse(moved), movedMs };
}
