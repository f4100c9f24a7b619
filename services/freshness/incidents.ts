import { isFailing, isIncident, usualShare } from '../../domain/freshness/incident.ts';
import { FreshKind } from '../../domain/freshness/shared-kinds.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import { isProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { repairMeans } from './expectations.ts';
import {
  countHour,
  deleteOld,
  endIncident,
  noteTold,
  openIncident,
  type ProviderCounts,
  selectOpenIncidents,
  selectUntold,
  selectUsualHours,
  takeProbe,
} from './queries/incidents.ts';
import { repairStart, startRepair } from './repair.ts';

interface Watching {
  readonly database: Database;
  readonly call: Call;
}

/** Opens and ends incidents, sends one probe to a provider that fails, and publishes what changed. */
export async function watchProviders({ database, call }: Watching, nowMs: number): Promise<void> {
  const { answers } = await call('deliveries.answers', {});
  await database.transaction(async (transaction) => {
    const open = await selectOpenIncidents(transaction);
    const counts = await countHour(transaction, nowMs);
    for (const one of counts) {
      const own = open.find(({ provider }) => provider === one.provider);
      const failing = isFailing(answers.filter(({ provider }) => provider === one.provider));
      if (own === undefined) await mayOpen(transaction, one, failing, nowMs);
      else if (own.reason === 'failing' ? failing === false : one.late <= own.turned / 2)
        await endIncident(transaction, own, nowMs);
    }
    await probe(transaction, nowMs);
    await deleteOld(transaction, nowMs);
  });
  for (const one of await selectUntold(database)) {
    const { id: incident_id, action, provider, reason, projects } = one;
    await call('webhooks.publishIncident', {
      ...{ incident_id, action, provider, reason, projects: [...projects] },
    });
    await noteTold(database, one);
  }
}

async function mayOpen(
  transaction: Queryable,
  counts: ProviderCounts,
  failing: boolean | null,
  nowMs: number,
): Promise<void> {
  if (failing === true) await openIncident(transaction, { ...counts, reason: 'failing' }, nowMs);
  else if (isIncident(counts, usualShare(await selectUsualHours(transaction, counts.provider, nowMs))))
    await openIncident(transaction, { ...counts, reason: 'late' }, nowMs);
}

/** One request a minute, for all providers that fail together: whether the provider answers again shows in its answers. */
async function probe(transaction: Queryable, nowMs: number): Promise<void> {
  for (const { provider, reason } of await selectOpenIncidents(transaction)) {
    if (reason !== 'failing' || !isProviderName(provider) || repairMeans(provider) === null) continue;
    const taken = await takeProbe(transaction, provider, nowMs);
    if (taken === undefined) continue;
    const { connection_id, user_id, kind, last_data_ms } = taken;
    await startRepair(transaction, {
      ...{ user_id, connection_id, provider, kinds: [FreshKind.parse(kind)] },
      start_ms: repairStart(provider, last_data_ms, nowMs),
    });
    return;
  }
}
