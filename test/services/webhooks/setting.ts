import type { ServiceSchema } from 'moleculer';
import type { Test } from 'tap';
import type { Change } from '../../../contracts/webhooks/changes.ts';
import type { Call } from '../../../runtime/environment.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import webhooks from '../../../services/webhooks/webhooks.service.ts';
import { startBroker, type TestBroker } from '../../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

/** The change log over a database of the test's own, beside the services that change data. */
export interface Setting extends TestBroker {
  readonly database: TestDatabase;
  /** The changes of a user, or all, in the order of the feed. */
  changes(userId?: string): Promise<Change[]>;
  /** Waits until nothing is pending, and returns the changes. */
  settled(userId?: string): Promise<Change[]>;
}

/** Starts the services. `settings` join nothing unless they say otherwise, so that tests need not wait. */
export async function startWebhooks(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
  services: readonly ServiceSchema[] = [],
): Promise<Setting> {
  const database = await freshDatabase(t);
  const started = await startBroker(t, {
    databaseUrl: database.url,
    services: [users, timeseries, webhooks, ...services],
    settings: { CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0', ...settings },
  });
  await until(async () => {
    const [row] = await database.query<{ is_set: boolean }>(
      "select live <> interval '1 second' or $1 as is_set from changes.joining",
      [settings.CHANGE_JOIN_SECONDS !== undefined],
    );
    return row?.is_set === true;
  });
  const changes = (userId?: string) => readAll(started.call, userId);
  return {
    ...started,
    database,
    changes,
    async settled(userId) {
      await nothingPending(database);
      return changes(userId);
    },
  };
}

/** Waits until every recorded change is published. */
export async function nothingPending(database: TestDatabase): Promise<void> {
  const pending = 'select from changes.pending where due_at is not null';
  await until(async () => (await database.query(pending)).length === 0);
}

/** All changes that the feed returns, page by page. */
export async function readAll(call: Call, user_id?: string, limit = 1000): Promise<Change[]> {
  const all: Change[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call('webhooks.changes', { user_id, cursor, limit });
    all.push(...page.data);
    if (!page.pagination.has_more) return all;
    cursor = page.pagination.next_cursor;
  }
}

/** The types of changes, in their order. */
export const typesOf = (changes: readonly Change[]): string[] => changes.map(({ type }) => type);

/** The changes of one type. */
export const ofType = (changes: readonly Change[], type: string): Change[] =>
  changes.filter((one) => one.type === type);

/** The sequence numbers of changes. */
export const sequencesOf = (changes: readonly Change[]): number[] =>
  changes.map(({ data }) => Number(data.sequence));

/** The numbers from 1 to n. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
