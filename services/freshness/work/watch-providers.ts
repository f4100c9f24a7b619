import { isFailing, isIncident, usualShare } from '../../../domain/freshness/incident.ts';
import { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { isProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { repairMeans } from '../rules/expectations.ts';
import {
  countHour,
  countMissing,
  deleteOld,
  endIncident,
  notePublished,
  openIncident,
  type ProviderCounts,
  selectOpenIncidents,
  selectUnpublishedIncidents,
  selectUsualHours,
  takeProbe,
} from '../tables/incidents.ts';
import { repairStart, startRepair } from './repair.ts';

const projectsPerCall = 1000;

/** An incident of late data ends after this time at most, and its connections are reported. */
const longestLateMs = dayMs;

/** Opens and ends incidents, sends one probe to a provider that fails, and publishes what changed. */
export async function watchProviders(
  { database, call }: { readonly database: Database; readonly call: Call },
  nowMs: number,
): Promise<void> {
  const { answers } = await call('deliveries.answers', {});
  await database.transaction(async (transaction) => {
    const open = await selectOpenIncidents(transaction);
    const counts = await countHour(transaction, nowMs);
    const failing = (name: string) => isFailing(answers.filter(({ provider }) => provider === name));
    for (const incident of open) {
      const isOver =
        !counts.some(({ provider }) => provider === incident.provider) ||
        (incident.reason === 'failing'
          ? failing(incident.provider) === false
          : nowMs > incident.started_ms + longestLateMs ||
            (await countMissing(transaction, incident)) <= incident.turned / 2);
      if (isOver) await endIncident(transaction, incident, nowMs);
    }
    for (const counted of counts)
      if (!open.some(({ provider }) => provider === counted.provider))
        await mayOpen(transaction, counted, failing(counted.provider), nowMs);
    await probe(transaction, nowMs);
    await deleteOld(transaction, nowMs);
  });
  for (const incident of await selectUnpublishedIncidents(database)) {
    const { id: incident_id, action, provider, reason } = incident;
    for (let from = 0; from < Math.max(1, incident.projects.length); from += projectsPerCall) {
      const projects = incident.projects.slice(from, from + projectsPerCall);
      await call('webhooks.publishIncident', { incident_id, action, provider, reason, projects });
    }
    await notePublished(database, incident);
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

/** Sends one request a minute to the failing providers in turn. Their answers show when a provider recovers. */
async function probe(transaction: Queryable, nowMs: number): Promise<void> {
  const failing = (await selectOpenIncidents(transaction))
    .filter(({ reason }) => reason === 'failing')
    .map(({ provider }) => provider)
    .filter(isProviderName)
    .filter((provider) => repairMeans(provider) !== null)
    .toSorted();
  const provider = failing[Math.floor(nowMs / minuteMs) % failing.length];
  if (provider === undefined) return;
  const probed = await takeProbe(transaction, provider, nowMs);
  if (probed === undefined) return;
  const { connection_id, user_id, kind, last_data_ms } = probed;
  await startRepair(transaction, {
    user_id,
    connection_id,
    provider,
    kinds: [FreshKind.parse(kind)],
    start_ms: repairStart(provider, last_data_ms, nowMs),
  });
}
