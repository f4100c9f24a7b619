import type { Test } from 'tap';
import type { z } from 'zod';
import type { Page } from '../../../domain/page.ts';
import type {
  IntervalOutcome,
  IntervalRecord,
  IntervalSource,
} from '../../../domain/records/interval-records.ts';
import type { StoreItem, StoreOutcome } from '../../../domain/records/records.ts';
import type { Call } from '../../../runtime/environment.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';

/** The service over a database of the test's own, and a user of it. */
export interface Setting {
  readonly database: TestDatabase;
  readonly call: Call;
  readonly userId: string;
  /** Stores items of the user. */
  store(
    items: z.input<typeof StoreItem>[],
    provider?: 'devicemaker' | 'activitynet',
  ): Promise<StoreOutcome[]>;
  /** Stores intervals of the user. */
  storeIntervals(
    sources: z.input<typeof IntervalSource>[],
    intervals: z.input<typeof IntervalRecord>[],
    provider?: 'devicemaker' | 'activitynet' | 'phone',
  ): Promise<IntervalOutcome>;
}

/** The id of a user who does not exist. */
export const unknownUser = '00000000-0000-4000-8000-000000000000';

export async function setUp(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const database = await freshDatabase(t);
  const { call } = await startBroker(t, {
    databaseUrl: database.url,
    services: [timeseries, users],
    settings: { DATABASE_POOL: '4', ...settings },
  });
  const { id } = await call('users.create', {});
  return withUser(database, call, id);
}

/** The same service for another user. */
export function withUser(database: TestDatabase, call: Call, userId: string): Setting {
  const store: Setting['store'] = (items, provider = 'devicemaker') =>
    call('timeseries.store', { user_id: userId, provider, items });
  const storeIntervals: Setting['storeIntervals'] = (sources, intervals, provider = 'devicemaker') =>
    call('timeseries.storeIntervals', { user_id: userId, provider, sources, intervals });
  return { database, call, userId, store, storeIntervals };
}

/** Another user of a service that the tests of a file share. */
export async function anotherUser({ database, call }: Pick<Setting, 'database' | 'call'>): Promise<Setting> {
  const { id } = await call('users.create', {});
  return withUser(database, call, id);
}

/** Pages through a list to its end and back to its start; each way as the items in the list's order. */
export async function pageThrough<T>(read: (cursor: string | undefined) => Promise<Page<T>>) {
  const first = await read(undefined);
  const forward = [first];
  for (let next = first.pagination.next_cursor; next !== null; ) {
    const page = await read(next);
    forward.push(page);
    next = page.pagination.next_cursor;
  }
  const backward: Page<T>[] = [];
  for (let previous = forward.at(-1)?.pagination.previous_cursor ?? null; previous !== null; ) {
    const page = await read(previous);
    backward.unshift(page);
    previous = page.pagination.previous_cursor;
  }
  return { forward, backward, items: forward.flatMap((page) => page.data) };
}
