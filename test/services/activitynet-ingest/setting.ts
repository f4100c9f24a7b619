import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { EventAnswer } from '../../../contracts/activitynet-ingest.ts';
import { type Inbox, inboxOn } from '../../../mixins/inbox/inbox.ts';
import type { Call } from '../../../runtime/environment.ts';
import { activitynetIngestService } from '../../../services/activitynet-ingest/activitynet-ingest.service.ts';
import type { FetchPace } from '../../../services/activitynet-ingest/work/pace.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker, type TestBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { type Provider, startProvider } from './provider.ts';

/** The ingest service in processes of its own, beside users and timeseries, with the provider played. */
export interface Setting {
  readonly database: TestDatabase;
  readonly inbox: Inbox;
  readonly provider: Provider;
  readonly call: Call;
  readonly namespace: string;
  /** A user of ours, linked to an account. */
  person(account?: string, link?: Record<string, unknown>): Promise<{ id: string; account: string }>;
  /** Sends an event, as the gateway would hand it over, and tells what it is answered with. */
  send(event: Record<string, unknown>, headers?: Record<string, string>): Promise<EventAnswer>;
  deliver(body: string | Buffer, headers?: Record<string, string>): Promise<EventAnswer>;
  /** One more ingest process. */
  startIngest(pace?: Partial<FetchPace>): Promise<TestBroker>;
  rows(): Promise<ActivityRow[]>;
  /** Waits until nothing waits any more. */
  settled(): Promise<void>;
}

/** What is known of an activity. */
export interface ActivityRow {
  user_id: string;
  object_id: string;
  work: string | null;
  error: string | null;
  failures: number;
  attempt: number;
  leased: boolean;
}

/** Requests without a pause, polls often. Nothing is reconciled by itself. */
export const fast: Partial<FetchPace> = {
  ...{ spacingMs: 0, firstPauseMs: 5, pollMs: 50, timeoutMs: 30_000 },
  firstScheduleMs: 86_400_000,
};

/** Starts users and timeseries, and as many ingest processes as are wanted. */
export async function setUp(
  t: Test,
  {
    settings = {},
    processes = 1,
    pace = {},
    bus: isBus = true,
  }: {
    readonly settings?: Readonly<Record<string, string>>;
    readonly processes?: number;
    readonly pace?: Partial<FetchPace>;
    /** Without one all run in a single process. */
    readonly bus?: boolean;
  } = {},
): Promise<Setting> {
  const database = await freshDatabase(t);
  const provider = await startProvider(t);
  const namespace = `activitynet-${randomUUID()}`;
  const bus = { databaseUrl: database.url, namespace, ...(isBus ? { natsUrl: natsUrl() } : {}) };
  // Nothing is read because a connection is imported: the tests count the reads.
  const given = { DATABASE_POOL: '6', BACKFILL_ON_CONNECT: 'false', ...provider.settings, ...settings };
  const serviceOf = (own: Partial<FetchPace> = {}) =>
    activitynetIngestService({ ...fast, aheadMs: () => provider.ahead, ...pace, ...own });
  const base = [users, timeseries, ...(isBus ? [] : [serviceOf()])];
  const first = await startBroker(t, { ...bus, services: base, settings: given });
  const { call } = first;
  const startIngest: Setting['startIngest'] = async (own = {}) => {
    const service = serviceOf(own);
    const started = await startBroker(t, { ...bus, services: [service], settings: given });
    await started.broker.waitForServices(['users', 'timeseries'], 60_000);
    return started;
  };
  const ingests = isBus ? await Promise.all(Array.from({ length: processes }, () => startIngest())) : [first];
  const inbox = inboxOn(database);
  let next = 0;
  const deliver: Setting['deliver'] = async (body, headers = {}) => {
    const delivery_id = await inbox.receive({
      provider: 'activitynet',
      kind: 'event',
      headers,
      body: Buffer.from(body),
    });
    next += 1;
    const ingest = ingests[next % ingests.length];
    await ingest?.call('activitynet-ingest.receive', { delivery_id }, { timeout: 120_000 });
    // On a busy machine the call ends before the work, which goes on.
    await until(async () => (await inbox.answerOf(delivery_id)) !== null);
    return EventAnswer.parse(await inbox.answerOf(delivery_id));
  };
  const rows = () =>
    database.query<ActivityRow>('select * from activitynet.activity order by object_id, user_id');
  return {
    database,
    inbox,
    provider,
    call: ingests[0]?.call ?? call,
    namespace,
    deliver,
    send: (fields, headers) => deliver(JSON.stringify(event(fields)), headers),
    startIngest,
    rows,
    async person(account = String(100_000 + Math.floor(Math.random() * 1e9)), link = {}) {
      const { id } = await call('users.create', {});
      await call('users.connect', {
        user_id: id,
        provider: 'activitynet',
        provider_user_id: account,
        access_token: `token of ${account}`,
        ...link,
      });
      return { id, account };
    },
    settled: () => until(async () => (await rows()).every(({ work }) => work === null)),
  };
}

/** An event as the provider sends it. */
export function event(fields: Record<string, unknown>): Record<string, unknown> {
  return {
    aspect_type: 'create',
    event_time: 1_776_520_000,
    object_id: 18_000_000_001,
    object_type: 'activity',
    owner_id: 134_815,
    subscription_id: 120_475,
    updates: {},
    ...fields,
  };
}

/** The windows of the provider's limits. */
export const quarterMs = 900_000;
export const dayMs = 86_400_000;

/**
 * Waits until nothing is in work and nothing more is asked: what waits, waits for the clock. Jobs that are due may wait
 * for the quota, or for a process that did not get to them yet: then it looks more often.
 */
export async function idle(s: Setting): Promise<void> {
  for (let still = 0, before = -1, wanted = 3; still < wanted; ) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const [row] = await s.database.query(
      `select count(*) filter (where leased)::int as leased,
        count(*) filter (where not leased and run_at <= activitynet.clock($1))::int +
          (select count(*) from activitynet.listing
            where purpose = 'backfill' and state = 'listing' and run_at <= activitynet.clock($1))::int as due
      from activitynet.activity where work is not null`,
      [s.provider.ahead],
    );
    const isStill = row?.leased === 0 && s.provider.asked.length === before;
    still = isStill ? still + 1 : 0;
    wanted = row?.due === 0 ? 3 : 15;
    before = s.provider.asked.length;
  }
}

/** Turns the clock on to a little after the next quarter hour, or the next day. */
export function turnOn(s: Setting, width: number): void {
  const now = Date.now() + s.provider.ahead;
  s.provider.ahead += width - (now % width) + 5000;
}
