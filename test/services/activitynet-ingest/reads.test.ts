import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { ProviderRequest } from '../../../mixins/provider-api/provider-api.ts';
import { priorities } from '../../../services/activitynet-ingest/tables/activities.ts';
import type { Work } from '../../../services/activitynet-ingest/tables/budget.ts';
import { deleteUser } from '../../../services/activitynet-ingest/tables/drop-work.ts';
import { fetchActivity } from '../../../services/activitynet-ingest/work/fetch-activity.ts';
import { readListPage } from '../../../services/activitynet-ingest/work/list-activities.ts';
import { fetchPace } from '../../../services/activitynet-ingest/work/pace.ts';
import { withReads } from '../../../services/activitynet-ingest/work/reads.ts';
import { workAthlete } from '../../../services/activitynet-ingest/work/work-event.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const config = testConfig({ databaseUrl: database.url, settings: {} });
const [user_id, connection_id] = [randomUUID(), randomUUID()];
const { signal } = new AbortController();
const connected_at = '2026-01-01T00:00:00Z';

/** The provider that answers a status, and a quota that has reads left for some kinds of work. */
function reading(status: number, open: readonly Work[] = ['live', 'backfill']) {
  const seen = { work: [] as Work[], released: [] as number[], urls: [] as URL[], expired: [] as number[] };
  const calls: string[] = [];
  const deps = {
    ...{ config, database, pace: { ...fetchPace, retries: 0 } },
    api: {
      async request({ url, sendTry = (send) => send() }: ProviderRequest) {
        const answer = await sendTry(async () => {
          seen.urls.push(url);
          return { status, headers: new Headers(), text: '[]', tries: 1 };
        });
        return answer ?? { status: 0, headers: new Headers(), text: '', tries: 0 };
      },
    },
    quota: {
      async reserve(_reads: number, work: Work) {
        seen.work.push(work);
        return open.includes(work) ? { quarter: new Date(0), day: new Date(0) } : null;
      },
      ...{ holds: async () => true, settle: async () => {} },
      release: async (_: unknown, reads: number) => void seen.released.push(reads),
    },
    tokens: {
      bearer: async (_: unknown, { refused = 0 } = {}) => ({
        ...{ kind: 'token' as const, token: 'a', version: refused + 1, connection_id, connected_at },
      }),
      worked: async () => {},
      expire: async ({ version }: { readonly version: number }) => void seen.expired.push(version),
    },
    call: (async (name: string) => {
      calls.push(name);
      return { record_id: 'r' };
    }) as never,
  };
  return { deps: deps as never as Parameters<typeof readListPage>[0], seen, calls };
}

const reader = { user_id, work: 'live', signal } as const;

t.test('a connection whose fresh token is refused as well has ended', async (t) => {
  const { deps, seen } = reading(401);
  const result = await withReads(deps, reader, 2, (read) => read('/activities/1'));
  t.same(result, { kind: 'gone', reason: 'TOKEN_REFUSED' });
  t.same(seen.expired, [2]);
});

t.test('a read that is answered with 429 waits, and only unsent reads are released', async (t) => {
  const { deps, seen } = reading(429);
  t.same(await withReads(deps, reader, 2, (read) => read('/activities/1')), { kind: 'wait' });
  t.same(seen.released, [1]);
});

const job = { user_id, connection_id, object_id: '7' };
const start_time = new Date(0);
const page = { id: randomUUID(), user_id, connection_id, attempt: 1, failures: 0, pages: 0, start_time };

t.test('backfill leaves the reads of live events', async (t) => {
  const { deps, seen } = reading(200, ['live']);
  const held = (priority: number) =>
    ({ job: { ...job, priority }, signal, holds: async () => true }) as never;
  t.same(await fetchActivity(deps, held(priorities.backfill)), { kind: 'wait' });
  const run = { ...page, purpose: 'backfill' } as never;
  t.equal(await readListPage(deps, run, signal), 'wait');
  t.same(seen.work, ['backfill', 'backfill']);
  t.same(seen.urls, [], 'nothing is sent');
});

t.test('reconciliations leave more of the quota than backfills', async (t) => {
  const { deps, seen } = reading(200, ['live', 'backfill']);
  const held = { job: { ...job, priority: priorities.repair }, signal, holds: async () => true } as never;
  t.same(await fetchActivity(deps, held), { kind: 'wait' });
  const run = { ...page, purpose: 'reconciliation' } as never;
  t.equal(await readListPage(deps, run, signal), 'wait');
  t.same(seen.work, ['repair', 'repair']);
  t.same(seen.urls, [], 'nothing is sent');
});

t.test('a list is requested in seconds, from the first second of the span on', async (t) => {
  const { deps, seen } = reading(200);
  const [start_time, end_time] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
  const run = { ...page, purpose: 'backfill', start_time, end_time };
  await readListPage(deps, { ...run, created_at: end_time, connected_at: null } as never, signal);
  const { after, before } = Object.fromEntries(seen.urls[0]?.searchParams ?? []);
  t.same([after, before], ['1767225599', '1767312000']);
});

t.test('a withdrawal from before a connection was made does not end it', async (t) => {
  const { calls, deps } = reading(200);
  const withdrawn = {
    object_type: 'athlete',
    aspect_type: 'update',
    updates: { authorized: 'false' },
  } as const;
  const given = {
    ...withdrawn,
    object_id: '7',
    owner_id: '7',
    subscription_id: null,
    event_time: 1_767_225_599,
  };
  const user = { connection_id, user_id, connectedMs: 1_767_225_600_000 };
  await workAthlete(deps.call, given, user);
  t.same(calls, []);
});

t.test('a deletion concerns every table with data of a user', async (t) => {
  const rows = await database.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'activitynet' and column_name = 'user_id'`,
  );
  const statements: string[] = [];
  const query = async (statement: string) => {
    statements.push(/activitynet\.(\w+)/.exec(statement)?.[1] ?? '');
    return [];
  };
  await deleteUser({ query } as never, user_id);
  t.same(statements.toSorted(), rows.map(({ name }) => name).toSorted());
});
