import type { Actions } from '../../../contracts/all.ts';
import { type FreshKind, kindOfChange } from '../../../domain/freshness/shared-kinds.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { isProviderName, providerNames } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { regularKinds } from '../rules/expectations.ts';
import { type Arrived, movePosition, selectPosition, upsertArrivals } from '../tables/arrivals.ts';
import { deleteConnections, endConnections, insertConnections } from '../tables/connections.ts';

interface FollowDeps {
  readonly database: Database;
  readonly call: Call;
}

type Change = Actions['webhooks.arrivals']['returns']['changes'][number];

const changesPerPart = 1000;

/** Reads the next part of the change log, once for all processes. Returns whether more follows. */
export async function followPart({ database, call }: FollowDeps, nowMs: number): Promise<boolean> {
  const after = await selectPosition(database);
  const { changes, last_id, has_more } = await call('webhooks.arrivals', { after, limit: changesPerPart });
  if (last_id === after) return false;
  await database.transaction(async (transaction) => {
    // Another process that read the same part has moved it on.
    if (!(await movePosition(transaction, after, last_id))) return;
    const newest = newestOfConnections(changes);
    const ofType = (type: string) => newest.filter((change) => change.type === type);
    const expired = ofType('connection.expired').map(connectionOf);
    await insertConnections(transaction, ofType('connection.created').map(connectionOf), {
      isNew: true,
      nowMs,
    });
    await insertConnections(transaction, expired, { isNew: false, nowMs });
    await upsertArrivals(transaction, arrivalsIn(changes), nowMs);
    await endConnections(transaction, expired, nowMs);
    await deleteConnections(
      transaction,
      ofType('connection.revoked').map(({ id }) => id),
    );
  });
  return has_more;
}

/** Adds the connections that the change log no longer contains. */
export async function addConnections(
  { database, call }: FollowDeps,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (const provider of providerNames) {
    let after: string | null = null;
    do {
      const listed: Actions['users.activeConnections']['returns'] = await call('users.activeConnections', {
        provider,
        after,
        limit: changesPerPart / 2,
      });
      const connections = listed.map(({ connection_id: id, user_id, project_id, connected_at }) => ({
        id,
        user_id,
        project_id,
        provider,
        connectedMs: Date.parse(connected_at),
        kinds: regularKinds(provider),
      }));
      await database.transaction((transaction) =>
        insertConnections(transaction, connections, { isNew: false, nowMs }),
      );
      after = listed.length < changesPerPart / 2 ? null : (listed.at(-1)?.connection_id ?? null);
    } while (after !== null && !signal.aborted);
  }
}

type OfConnection = Change & { readonly id: string };

function newestOfConnections(changes: readonly Change[]): OfConnection[] {
  const newest = new Map<string, OfConnection>();
  for (const change of changes)
    if (change.connection_id !== null && change.type.startsWith('connection.'))
      newest.set(change.connection_id, { ...change, id: change.connection_id });
  return [...newest.values()];
}

function connectionOf({ id, user_id, project_id, provider, recorded_ms: connectedMs }: OfConnection) {
  const kinds = isProviderName(provider) ? regularKinds(provider) : [];
  return { id, user_id, project_id, provider, connectedMs, kinds };
}

function arrivalsIn(changes: readonly Change[]): Arrived[] {
  const arrivals = new Map<string, Arrived>();
  for (const change of changes) {
    const kind = kindOfChange(change.type, change.detail);
    if (kind === null) continue;
    const key = `${change.user_id} ${change.provider} ${kind}`;
    arrivals.set(key, withChange(arrivals.get(key), change, kind));
  }
  return [...arrivals.values()];
}

function withChange(earlier: Arrived | undefined, change: Change, kind: FreshKind): Arrived {
  const { user_id, provider, historical, last_ms, recorded_ms } = change;
  const dataMs = Math.max(earlier?.dataMs ?? 0, last_ms ?? 0) || null;
  const before = earlier ?? {
    user_id,
    provider,
    kind,
    arrivals: 0,
    firstMs: null,
    lastMs: null,
    innerGap: null,
    hasPast: false,
  };
  if (historical) return { ...before, dataMs, hasPast: true };
  const gap = before.lastMs === null ? null : Math.max(0, recorded_ms - before.lastMs) / minuteMs;
  return {
    ...before,
    dataMs,
    arrivals: before.arrivals + 1,
    firstMs: before.firstMs ?? recorded_ms,
    lastMs: Math.max(before.lastMs ?? 0, recorded_ms),
    innerGap: gap === null ? before.innerGap : Math.max(before.innerGap ?? 0, Math.round(gap)),
  };
}
