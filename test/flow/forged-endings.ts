import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type PlayedProvider, playProvider } from '../services/connect/provider.ts';
import { createUser, joinApi, type TestApi } from '../support/api.ts';
import { connectionsOf } from '../support/connect.ts';
import { testSettings } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

export type Name = 'devicemaker' | 'activitynet';

/** The reads that decide whether a reported ending is true, and the calls that end our access. */
export const paths = {
  devicemaker: { read: '/dm/api/user/id', revocation: ['DELETE', '/dm/api/user/registration'] },
  activitynet: { read: '/an/api/athlete/activities', revocation: ['POST', '/an/oauth/deauthorize'] },
} as const;

/** The secret addresses of the tests. */
const secrets = {
  devicemaker: 'devicemaker-secret-of-the-tests-0001',
  activitynet: 'activitynet_secret_of_the_tests_0001',
};

/** A user with an account at a provider. */
export interface Member {
  readonly userId: string;
  readonly account: string;
  readonly name: Name;
  readonly token: string;
}

/** The product in two processes on the bus: webhooks with their ingest, and all other services. */
export interface Installation {
  readonly api: TestApi;
  readonly provider: PlayedProvider;
  /** The processes of their own, by the service that each runs. */
  readonly members: Readonly<Record<string, ChildProcess>>;
  /** Starts one more process of a service. */
  start(service: string): ChildProcess;
  /** A user with an account and a token that is good; `link` overwrites what is imported. */
  member(name: Name, link?: Record<string, unknown>): Promise<Member>;
  /** The provider's report that an account has ended our access; `secret`: at the secret address. */
  report(member: Pick<Member, 'account' | 'name'>, secret?: boolean): Promise<Record<string, unknown>>;
  connection(member: Member): Promise<ConnectionRow>;
  /** Reads that were made to find out about endings. */
  reads(name: Name): number;
  revocations(name: Name): number;
  /** Makes a check that waits due now. */
  hurry(): Promise<void>;
  /** The audit of a user: actions with their details. */
  audit(member: Member): Promise<{ action: string; actor: string; details: Record<string, unknown> }[]>;
}

interface ConnectionRow {
  status: string;
  status_reason: string | null;
  access_token: string | null;
  refresh_token: string | null;
  scope: string[];
  ending: string | null;
  reads: number;
  held: number;
}

interface Joined {
  readonly database: TestDatabase;
  readonly natsUrl: string;
  readonly namespace: string;
  readonly settings: Readonly<Record<string, string>>;
}

function startMember(t: Test, service: string, { database, natsUrl, namespace, settings }: Joined) {
  const environment = testSettings({ databaseUrl: database.url, natsUrl, settings });
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../stack/processes/process.ts')], {
    env: {
      ...environment,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NAMESPACE: namespace,
      SERVICES: service,
    },
    stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

let accounts = 4_294_970_000;

/** Starts it on a database of its own; services named by `apart` run in a process each, which can be killed. */
export async function install(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
  apart: readonly string[] = [],
): Promise<Installation> {
  const provider = await playProvider(t);
  const joined = {
    database: await freshDatabase(t),
    natsUrl: natsUrl(),
    namespace: `endings-${randomUUID()}`,
    settings: {
      ...{ RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '100000', DATABASE_POOL: '6' },
      ...{ BACKFILL_TYPES: 'dailies', WEBHOOK_PLAIN_ANSWERS: 'full' },
      ...{ WEBHOOK_SECRET_DEVICEMAKER: secrets.devicemaker, WEBHOOK_SECRET_ACTIVITYNET: secrets.activitynet },
      ...provider.settings,
      ...settings,
    },
  };
  const start = (service: string) => startMember(t, service, joined);
  const members = Object.fromEntries(apart.map((service) => [service, start(service)]));
  const rest = [
    'api-gateway',
    'auth',
    'users',
    'timeseries',
    'connect',
    'backfill',
    'deliveries',
    'destinations',
    'file-import',
    'freshness',
    'insights',
    'phone-ingest',
    'pull-ingest',
    'summaries',
    'webhooks',
  ];
  const inside = rest.filter((service) => !apart.includes(service));
  await joinApi(t, { ...joined, services: inside });
  const api = await joinApi(t, {
    ...joined,
    services: ['api-gateway', 'devicemaker-ingest', 'activitynet-ingest'],
  });
  await api.broker.waitForServices(rest, 60_000);
  return { ...{ api, provider, members, start }, ...actions(api, provider) };
}

function actions(
  api: TestApi,
  provider: PlayedProvider,
): Omit<Installation, 'api' | 'provider' | 'members' | 'start'> {
  return {
    async member(name, link = {}) {
      accounts += 1;
      const [account, token] = [String(accounts), `token-${randomUUID()}`];
      provider.alive.set(token, account);
      const userId = await createUser(api);
      const body = { provider: name, provider_user_id: account, access_token: token, ...link };
      await api.expect(201, `/users/${userId}/connections`, { body });
      return { userId, account, name, token };
    },
    async report({ account, name }, secret = false) {
      const answer = await api.ask(addressOf(name, secret), {
        body: name === 'devicemaker' ? { deregistrations: [{ userId: account }] } : ending(account),
        headers: { 'devicemaker-client-id': 'tests' },
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      return Object(answer.body);
    },
    async connection({ userId, name }) {
      const [row] = await api.database.query<ConnectionRow>(
        `select c.status, status_reason, access_token, refresh_token, scope, k.ending,
           coalesce(k.window_reads, 0) as reads,
           (select count(*)::int from users.held_delivery h where h.connection_id = c.id) as held
         from users.connection c left join users.access_check k on k.connection_id = c.id
         where user_id = $1 and c.provider = $2`,
        [userId, name],
      );
      if (row === undefined) throw new Error('there is no connection');
      return row;
    },
    reads: (name) => provider.count('GET', paths[name].read),
    revocations(name) {
      const [method, path] = paths[name].revocation;
      return provider.count(method, path);
    },
    async hurry() {
      await api.database.query(
        `update users.access_check set run_at = now() where ending is not null or permissions_since is not null`,
      );
      await api.database.query(
        `update jobs.job set run_at = now() where kind = 'users.restoration' and not leased`,
      );
    },
    audit: ({ userId }) =>
      api.database.query(
        `select action, actor, details from auth.audit_entry
         where user_id = $1 and action like 'connection.%' order by id`,
        [userId],
      ),
  };
}

/** The address of the webhook that reports endings. */
function addressOf(name: Name, secret: boolean): string {
  const plain = {
    devicemaker: '/api/v1/webhooks/devicemaker/push',
    activitynet: '/api/v1/webhooks/activitynet/webhook',
  }[name];
  return secret ? `${plain}/${secrets[name]}` : plain;
}

function ending(account: string) {
  return {
    object_type: 'athlete',
    object_id: Number(account),
    aspect_type: 'update',
    owner_id: Number(account),
    subscription_id: 1,
    event_time: Math.floor(Date.now() / 1000) + 1,
    updates: { authorized: 'false' },
  };
}

/** Waits until the API shows a connection so. */
export function shows(api: TestApi, { userId, name }: Member, status: string): Promise<void> {
  return until(async () =>
    (await connectionsOf(api, userId)).some((one) => one.provider === name && one.status === status),
  );
}
