import { z } from 'zod';
import { isError } from '../../../domain/errors.ts';
import { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import {
  enqueue,
  type JobKind,
  type JobOutcome,
  payloadOf,
  type RetryRules,
} from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import { isProviderName, isPulled, ProviderName, providers } from '../../../providers/all.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { repairMeans, typesBringing } from '../rules/expectations.ts';
import { closeRepair, repairName } from '../tables/connections.ts';

const Payload = z.object({
  user_id: z.uuid(),
  connection_id: z.uuid(),
  provider: ProviderName,
  kinds: z.array(FreshKind),
  start_ms: z.int(),
});

/** A repair of a connection: its missing kinds of data are fetched from an instant on. */
export type Repair = z.infer<typeof Payload>;

/** The jobs of repairs, one of a connection at a time. */
const repairKind: JobKind<Repair> = { name: repairName, payload: Payload, mostFailures: 3 };

/** Nothing older is fetched by a repair. */
const longestMs = 30 * dayMs;
/** Data of the time before the last known one may be missing too. */
const overlapMs = dayMs;

/** The instant from which missing data is fetched, in whole milliseconds. A list is compared as far back as it is read. */
export function repairStart(provider: ProviderName, lastDataMs: number | null, nowMs: number): number {
  const isOfSpan = isPulled(provider) || repairMeans(provider) === 'request';
  // Some devices send data of the future.
  const knownMs = isOfSpan ? Math.min(lastDataMs ?? 0, nowMs) - overlapMs : 0;
  return Math.floor(Math.max(nowMs - longestMs, knownMs));
}

/**
 * Enqueues a repair and writes an audit entry. A waiting repair of the connection also fetches the kinds of this one.
 */
export async function startRepair(transaction: Queryable, repair: Repair): Promise<void> {
  const key = repair.connection_id;
  const waiting = await payloadOf(transaction, repairKind, key, true);
  const kinds = [...new Set([...(waiting?.kinds ?? []), ...repair.kinds])];
  const start_ms = Math.min(repair.start_ms, waiting?.start_ms ?? repair.start_ms);
  await enqueue(transaction, repairKind, { key, payload: { ...repair, kinds, start_ms } });
  await noteRepair(transaction, repair, { action: 'connection.repair_started' });
}

/** Writes an entry of the audit trail about a repair. */
export async function noteRepair(
  on: Queryable,
  { user_id, connection_id, provider, kinds }: Omit<Repair, 'start_ms'>,
  entry: {
    readonly action: 'connection.repair_started' | 'connection.repair_ended';
    readonly outcome?: string;
    readonly dates?: readonly string[];
  },
): Promise<void> {
  const { action, ...more } = entry;
  await recordAudit(on, systemOrigin('freshness'), {
    action,
    userId: user_id,
    subjectId: connection_id,
    details: { provider, data_types: kinds, ...more },
  });
}

/** Dependencies of repairs. */
export interface RepairDeps {
  readonly call: Call;
  readonly database: Database;
  readonly now: () => number;
}

/** The handler of repairs. A repeated one demands the same reads, which are merged. */
export function repairHandler({ call, database, now }: RepairDeps): JobHandler {
  return jobHandler(
    repairKind,
    async ({ payload, failures }) => {
      try {
        await fetchMissing(call, payload, now());
        return { kind: 'done' };
      } catch (error) {
        const outcome = codeOf(error);
        const ending = endingOf(repairKind, failures, outcome);
        if (ending.kind === 'later') return ending;
        await database.transaction(async (transaction) => {
          if (await closeRepair(transaction, payload.connection_id))
            await noteRepair(transaction, payload, { action: 'connection.repair_ended', outcome });
        });
        return ending;
      }
    },
    { parallel: 2 },
  );
}

/** What follows a failed attempt: a retry, or the end of the repair with the code of the failure as its outcome. */
export function endingOf({ mostFailures = 1 }: RetryRules, failures: number, reason: string): JobOutcome {
  if (permanentFailures.has(reason)) return { kind: 'done' };
  return { kind: failures + 1 < mostFailures ? 'later' : 'dead', reason };
}

/** The outcome of a request of days while the provider has an incident. */
export const incidentOpen = 'PROVIDER_INCIDENT';

/** Failures after which a retry cannot succeed. A running backfill is one of them: another repair follows when it has ended. */
const permanentFailures: ReadonlySet<string> = new Set([
  'BACKFILL_RUNNING',
  'CONNECTION_INACTIVE',
  'CONNECTION_WITHOUT_TOKEN',
  'USER_NOT_FOUND',
  'CONNECTION_NOT_FOUND',
  incidentOpen,
]);

async function fetchMissing(
  call: Call,
  { user_id, provider, kinds, start_ms }: Repair,
  nowMs: number,
): Promise<void> {
  const { backfill } = providers[provider];
  if (backfill.from === 'pages') {
    await call(`${backfill.service}.reconcile`, { user_id, provider, kinds, start_ms });
    return;
  }
  if (repairMeans(provider) !== 'request') return;
  const days = Math.max(1, Math.ceil((nowMs - start_ms) / dayMs));
  const types = typesBringing(provider, kinds);
  if (types.length > 0) await call('backfill.start', { user_id, provider, days, types });
}

/** The scope that a user granted. Null: the connection is gone. */
export async function readScope(
  call: Call,
  user_id: string,
  provider: string,
): Promise<readonly string[] | null> {
  if (!isProviderName(provider)) return [];
  try {
    const { scope, status } = await call('users.connection', { user_id, provider });
    return status === 'revoked' ? null : scope;
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND') || isError(error, 'CONNECTION_NOT_FOUND')) return null;
    throw error;
  }
}
