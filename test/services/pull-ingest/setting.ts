import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/server.ts';
import { userTraits } from '../../../sandbox/simulation/simulated-users.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import type { PullServicePace } from '../../../services/pull-ingest/work/pace.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { joinApi, type TestApi } from '../../support/api.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../../support/servers/database.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Reads without a pause, polls often. */
export const fast: Partial<PullServicePace> = { pollMs: 20, settleMs: 0, floorMs: 0, firstUpkeepMs: 600_000 };

/** The product with the simulated health data platform. */
export interface PullSetting {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  /** The address of its notifications. */
  readonly address: string;
  /** A user of ours who connects an account; `without` are scopes that the user deselects. */
  connect(person: number | 'new', without?: readonly string[]): Promise<string>;
  /** The number of users of the simulation's table. */
  readonly basePeople: number;
  /** Waits until nothing is to be read. */
  settled(): Promise<void>;
  /** What the simulation holds from an instant on, and what is stored, in the same form. */
  compare(person: number, userId: string, fromMs: number): Promise<{ want: string[]; have: string[] }>;
}

/** Starts both. Past data is read only if `settings` say so. */
export async function setUp(
  t: Test,
  {
    settings = {},
    pace = {},
    sandbox: options = {},
    processes = 1,
  }: {
    readonly settings?: Readonly<Record<string, string>>;
    readonly pace?: Partial<PullServicePace>;
    readonly sandbox?: SandboxOptions;
    /** Processes of the ingest service. */
    readonly processes?: number;
  } = {},
): Promise<PullSetting> {
  // The same time of day in every run: 07:45, the last one at least eight hours ago.
  const startMs = Math.floor((Date.now() - 15.75 * hourMs) / dayMs) * dayMs + 7.75 * hourMs;
  const sandbox = await startSandbox({ seed: 'a seed', speed: 0, startMs, ...options });
  t.teardown(() => sandbox.stop());
  const database = await freshDatabase(t);
  const given = {
    ...environmentOf(settingsOf(sandbox.access)),
    ...{ BACKFILL_ON_CONNECT: 'false', RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '1000000' },
    ...settings,
  };
  const service = () => pullIngestService({ ...fast, ...pace });
  const bus = processes === 1 ? {} : { natsUrl: natsUrl(), namespace: `pull-${randomUUID()}` };
  const api = await joinApi(t, { database, settings: given, instead: [service()], ...bus });
  for (let count = 1; count < processes; count++) {
    const choice = { databaseUrl: database.url, services: [service()], settings: given, ...bus };
    const { broker } = await startBroker(t, choice);
    await broker.waitForServices(['users', 'timeseries'], 60_000);
  }
  const address = `${api.url}/api/v1/webhooks/googlehealth/notifications`;
  return {
    ...{ api, sandbox, address, basePeople: userTraits.length },
    connect: (person, without = []) => connect(api, sandbox, person, without),
    settled: () => settled(api),
    compare: async (person, userId, fromMs) => ({
      want: await expected(sandbox, person, fromMs),
      have: await stored(database, userId, fromMs),
    }),
  };
}

/** Creates the subscriber at the simulation, which checks the address. */
export function subscribe({ sandbox, address }: PullSetting, secret?: string): Promise<Response> {
  const { settings } = sandbox.access;
  return fetch(`${settings.GOOGLEHEALTH_API_URL}/v4/projects/1/subscribers?subscriberId=test`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${settings.GOOGLEHEALTH_CLIENT_SECRET}`,
    },
    body: JSON.stringify({
      endpointUri: address,
      subscriberConfigs: [{ dataTypes: ['steps'], subscriptionCreatePolicy: 'AUTOMATIC' }],
      endpointAuthorization: { secret: secret ?? settings.GOOGLEHEALTH_WEBHOOK_AUTHORIZATION },
    }),
  });
}

const Created = z.object({ id: z.string() });
const Link = z.object({ authorization_url: z.string() });

async function connect(
  api: TestApi,
  sandbox: Sandbox,
  person: number | 'new',
  without: readonly string[],
): Promise<string> {
  const body = { external_user_id: `person-${person}-${randomBytes(4).toString('hex')}` };
  const { id } = Created.parse(await api.expect(201, '/users', { method: 'POST', body }));
  const link = await api.expect(200, `/connect/googlehealth/authorize?user_id=${id}`);
  const url = new URL(Link.parse(link).authorization_url);
  const fields = new URLSearchParams(url.search);
  fields.set('person', String(person));
  fields.set('decision', 'allow');
  for (const scope of (url.searchParams.get('scope') ?? '').split(' '))
    if (!without.some((part) => scope.includes(part))) fields.append('permission', scope);
  const { origin, pathname } = url;
  const decided = await fetch(`${origin}${pathname}`, { method: 'POST', body: fields, redirect: 'manual' });
  const landed = await fetch(decided.headers.get('location') ?? sandbox.access.url, { redirect: 'manual' });
  const text = `${landed.headers.get('location') ?? ''} ${landed.status === 200 ? await landed.text() : ''}`;
  if (!/connected/i.test(text)) throw new Error(`not connected: ${landed.status} ${text.slice(0, 300)}`);
  return id;
}

async function settled({ database }: TestApi): Promise<void> {
  for (;;) {
    const waiting = await database.query('select from pull.reading where run_at is not null limit 1');
    const working = await database.query(
      "select from deliveries.delivery where state in ('ready', 'working') limit 1",
    );
    if (waiting.length + working.length === 0) return;
    await sleep(20);
  }
}

const Line = z.object({ type: z.string(), device: z.string(), points: z.int(), sum: z.number() });
const Ledger = z.object({ lines: z.array(Line) });
const seriesOf: Readonly<Record<string, string>> = {
  steps: 'steps',
  distance: 'distance_walking_running',
  'heart-rate': 'heart_rate',
  'daily-resting-heart-rate': 'resting_heart_rate',
  weight: 'weight',
};
const units: Readonly<Record<string, number>> = { distance: 0.001 };

async function expected({ access }: Sandbox, person: number, fromMs: number): Promise<string[]> {
  const answer = await fetch(`${access.url}/ledger/health?person=${person}&from_ms=${fromMs}`);
  const { lines } = Ledger.parse(await answer.json());
  return lines
    .map(({ type, device, points, sum }) => {
      const name = seriesOf[type];
      if (name === undefined) return `${type} ${points}`;
      return `${name} ${device} ${points} ${(sum * (units[type] ?? 1)).toFixed(1)}`;
    })
    .sort();
}

async function stored(database: TestDatabase, userId: string, fromMs: number): Promise<string[]> {
  const line = `t.name || ' ' || s.device || ' ' || count(*) || ' ' || round(sum(x.value)::numeric, 1) as line`;
  const values = [userId, [...ids.values()], [...ids.keys()], new Date(fromMs).toISOString()];
  const from = 'timeseries.series s join unnest($2::int[], $3::text[]) t (id, name) on t.id = s.type_id';
  const rows = await database.query<{ line: string }>(
    `select ${line} from ${from} join timeseries.sample x on x.series_id = s.id
     where s.user_id = $1 and x.ts >= $4 group by t.name, s.device
     union all
     select ${line} from ${from} join timeseries.interval_value x on x.series_id = s.id
     where s.user_id = $1 and x.start_time >= $4 group by t.name, s.device`,
    values,
  );
  const [records] = await database.query<{ sleeps: string; workouts: string }>(
    `select (select count(*) from timeseries.sleep_session where user_id = $1 and start_time >= $2) as sleeps,
       (select count(*) from timeseries.workout where user_id = $1 and start_time >= $2 and deleted_at is null) as workouts`,
    [userId, new Date(fromMs).toISOString()],
  );
  const counts = [
    ...(records?.sleeps === '0' ? [] : [`sleep ${records?.sleeps}`]),
    ...(records?.workouts === '0' ? [] : [`exercise ${records?.workouts}`]),
  ];
  return [...rows.map(({ line }) => line), ...counts].sort();
}

const ids: ReadonlyMap<string, number> = new Map([
  ['steps', 31],
  ['distance_walking_running', 39],
  ['heart_rate', 1],
  ['resting_heart_rate', 2],
  ['weight', 20],
]);
