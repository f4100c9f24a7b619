import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/server.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import type { PullServicePace } from '../../../services/pull-ingest/work/pace.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { joinApi, type TestApi } from '../../support/api.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { startForwarder } from '../../support/servers/forwarder.ts';
import { until } from '../../support/until.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Reads without a pause, polls often. */
const fast: Partial<PullServicePace> = {
  pollMs: 20,
  settleMs: 0,
  floorMs: 0,
  upkeepMs: 100,
  firstUpkeepMs: 50,
};

/** The secret of the address of the notifications. */
export const secret = 'withings-secret-of-the-tests-00001';
/** The number of the user with an account. */
export const person = 6;
/** The most requests a minute in tests that are not about the limit. */
const unlimited = 1_000_000;

/** The product with the simulated maker of scales. */
export interface WithingsSetting {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  /** The plain address of its notifications. */
  readonly address: string;
  /** A user of ours who connects the account. */
  connect(without?: readonly string[], who?: number): Promise<string>;
  /** Waits until nothing is to be read. */
  settled(): Promise<void>;
  /** Makes all sweeps due, and waits until they are done. */
  sweep(): Promise<void>;
  /** What the simulation holds from an instant on, and what is stored, in the same form. */
  compare(userId: string, fromMs: number, who?: number): Promise<{ want: string[]; have: string[] }>;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** What a test chooses. */
export interface SettingChoice {
  readonly settings?: Readonly<Record<string, string>>;
  readonly sandbox?: SandboxOptions;
}

/** Starts both. Past data is read only if `settings` say so. */
export async function setUp(t: Test, choice: SettingChoice = {}): Promise<WithingsSetting> {
  // Noon, so that a night lies ahead, 23 to 47 hours ago: the sweep of intraday activity reads two days.
  const startMs = Math.floor((Date.now() - 35 * hourMs) / dayMs) * dayMs + 12 * hourMs;
  const limits = { requestsPerMinute: unlimited };
  const sandbox = await startSandbox({ seed: 'a seed', speed: 0, startMs, limits, ...choice.sandbox });
  t.teardown(() => sandbox.stop());
  const database = await freshDatabase(t);
  // PUBLIC_URL must be known before the gateway has a port.
  const { url: publicUrl, forwardTo } = await startForwarder(t);
  const settings = {
    ...environmentOf(settingsOf(sandbox.access)),
    ...{ BACKFILL_ON_CONNECT: 'false', RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000' },
    ...{ PUBLIC_URL: publicUrl, WEBHOOK_SECRET_WITHINGS: secret },
    WITHINGS_REQUESTS_PER_MINUTE: '100000',
    ...choice.settings,
  };
  const api = await joinApi(t, { database, settings, instead: [pullIngestService(fast)] });
  forwardTo(api.url);
  return {
    ...{ api, sandbox, address: `${api.url}/api/v1/webhooks/withings/notify` },
    connect: (without = [], who = person) => connect(api, sandbox, without, who),
    settled: () => settled(database),
    sweep: async () => {
      // A connection without a backfill is found by a job.
      await until(async () => (await database.query(unknown)).length === 0);
      await database.query('update pull.sweep set due_at = now()');
      await until(
        async () => (await database.query('select from pull.sweep where due_at <= now()')).length === 0,
      );
      await settled(database);
    },
    compare: async (userId, fromMs, who = person) => ({
      want: await expected(sandbox, fromMs, who),
      have: await stored(database, userId, fromMs),
    }),
    control: (method, path, body) => control(sandbox, method, path, body),
  };
}

const Created = z.object({ id: z.string() });
const Link = z.object({ authorization_url: z.string() });

const unknown = `
  select from users.connection c where c.provider = 'withings' and c.status = 'active'
    and not exists (select from pull.connection p where p.connection_id = c.id)`;

async function connect(
  api: TestApi,
  sandbox: Sandbox,
  without: readonly string[],
  who: number,
): Promise<string> {
  const body = { external_user_id: randomBytes(8).toString('hex') };
  const { id } = Created.parse(await api.expect(201, '/users', { method: 'POST', body }));
  const link = await api.expect(200, `/connect/withings/authorize?user_id=${id}`);
  const url = new URL(Link.parse(link).authorization_url);
  const fields = new URLSearchParams(url.search);
  fields.set('person', String(who));
  fields.set('decision', 'allow');
  for (const scope of (url.searchParams.get('scope') ?? '').split(','))
    if (!without.includes(scope)) fields.append('permission', scope);
  const { origin, pathname } = url;
  const decided = await fetch(`${origin}${pathname}`, { method: 'POST', body: fields, redirect: 'manual' });
  const landed = await fetch(decided.headers.get('location') ?? sandbox.access.url, { redirect: 'manual' });
  const result = landed.headers.get('location') ?? '';
  if (!result.includes('status=connected')) throw new Error(`not connected: ${landed.status} ${result}`);
  return id;
}

async function settled(database: TestDatabase): Promise<void> {
  await until(async () => {
    const reading = 'select from pull.reading where run_at is not null limit 1';
    const working = "select from deliveries.delivery where state in ('ready', 'working') limit 1";
    return (await database.query(reading)).length + (await database.query(working)).length === 0;
  });
}

async function control({ access }: Sandbox, method: string, path: string, body?: unknown): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${access.url}${path}`, { method, headers, ...sent })).json();
}

const Ledger = z.object({
  days: z.array(z.object({ date: z.string(), steps: z.int() })),
  workouts: z.array(z.object({ start_time: z.string() })),
  nights: z.array(z.object({ start_time: z.string(), stages: z.int() })),
  unconfirmed: z.array(z.string()),
  steps: z.array(z.tuple([z.int(), z.int()])),
  series: z.array(z.object({ type: z.string(), device: z.string(), samples: z.int() })),
});

async function expected(sandbox: Sandbox, fromMs: number, who: number): Promise<string[]> {
  const path = `/ledger/withings?person=${who}&from_ms=${fromMs}`;
  const ledger = Ledger.parse(await control(sandbox, 'GET', path));
  const iso = (text: string) => new Date(text).toISOString();
  return [
    ...ledger.days.map(({ date, steps }) => `day ${date} ${steps}`),
    ...ledger.workouts.map(({ start_time }) => `workout ${iso(start_time)}`),
    ...ledger.nights.map(({ start_time, stages }) => `night ${iso(start_time)} ${stages}`),
    ...ledger.unconfirmed.map((at) => `unconfirmed ${iso(at)}`),
    ...ledger.steps.map(([second, steps]) => `steps ${new Date(second * 1000).toISOString()} ${steps}`),
    ...ledger.series.map(({ type, device, samples }) => `${type} ${device} ${samples}`),
  ].sort();
}

const rows = `
  select 'day ' || date || ' ' || steps as line from timeseries.provider_day
    where user_id = $1 and start_time >= $2 and device <> 'imported'
  union all select 'workout ' || at(start_time) from timeseries.workout
    where user_id = $1 and start_time >= $2 and deleted_at is null
  union all select 'night ' || at(start_time) || ' ' || coalesce(jsonb_array_length(stage_intervals), 0) from timeseries.sleep_session
    where user_id = $1 and start_time >= $2
  union all select 'unconfirmed ' || at(start_time) from timeseries.other_record where user_id = $1 and start_time >= $2
  union all select 'steps ' || at(x.start_time) || ' ' || x.value from timeseries.interval_value x
    join timeseries.series s on s.id = x.series_id where s.user_id = $1 and s.type_id = 31 and x.start_time >= $2
  union all select t.name || ' ' || s.device || ' ' || count(*) from timeseries.series s
    join timeseries.series_type t on t.id = s.type_id join timeseries.sample x on x.series_id = s.id
    where s.user_id = $1 and x.ts >= $2 group by t.name, s.device`;

async function stored(database: TestDatabase, userId: string, fromMs: number): Promise<string[]> {
  const iso = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const text = rows.replaceAll(/at\(([\w.]+)\)/g, (_, column: string) => iso(column));
  const found = await database.query<{ line: string }>(text, [userId, new Date(fromMs).toISOString()]);
  return found.map(({ line }) => line).sort();
}
