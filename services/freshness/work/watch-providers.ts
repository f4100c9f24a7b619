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
  noteTold,
  openIncident,
  type ProviderCounts,
  selectOpenIncidents,
  selectUntold,
  selectUsualHours,
  takeProbe,
} from '../tables/incidents.ts';
import { repairStart, startRepair } from './repair.ts';

const projectsPerCall = 1000;

interface Watching {
  readonly database: Database;
  readonly call: Call;
}

/** What is late for longer is no incident of the provider any more, and its connections are reported. */
const longestLateMs = dayMs;

/** Opens and ends incidents, sends one probe to a provider that fails, and publishes what changed. */
export async function watchProviders({ database, call }: Watching, nowMs: number): Promise<void> {
  const { answers } = await call('deliveries.answers', {});
  await database.transaction(async (transaction) => {
    const open = await selectOpenIncidents(transaction);
    const counts = await countHour(transaction, nowMs);
    const failing = (name: string) => isFailing(answers.filter(({ provider }) => provider === name));
    for (const one of open) {
      const isOver =
        !counts.some(({ provider }) => provider === one.provider) ||
        (one.reason === 'failing'
          ? failing(one.provider) === false
          : nowMs > one.started_ms + longestLateMs ||
            (await countMissing(transaction, one)) <= one.turned / 2);
      if (isOver) await endIncident(transaction, one, nowMs);
    }
    for (const one of counts)
      if (!open.some(({ provider }) => provider === one.provider))
        await mayOpen(transaction, one, failing(one.provider), nowMs);
    await probe(transaction, nowMs);
    await deleteOld(transaction, nowMs);
  });
  for (const one of await selectUntold(database)) {
    const { id: incident_id, action, provider, reason } = one;
    for (let from = 0; from < Math.max(1, one.projects.length); from += projectsPerCall) {
      const projects = one.projects.slice(from, from + projectsPerCall);
      await call('webhooks.publishIncident', { incident_id, action, provider, reason, projects });
    }
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

/** One request a minute, to the providers that fail in turn: whether one answers again shows in its answers. */
async function probe(transaction: Queryable, nowMs: number): Promise<void> {
  const failing = (await selectOpenIncidents(transaction))
    .filter(({ reason }) => reason === 'failing')
    .map(({ provider }) => provider)
    .filter(isProviderName)
    .filter((provider) => repairMeans(provider) !== null)
    .toSorted();
  const provider = failing[Math.floor(nowMs / minuteMs) % failing.length];
  if (provider === undefined) return;
  const taken = await takeProbe(transaction, provider, nowMs);
  if (taken === undefined) return;
  const { connection_id, user_id, kind, last_data_ms } = taken;
  await startRepair(transaction, {
    ...{ user_id, connection_id, provider, kinds: [FreshKind.parse(kind)] },
    start_ms: repairStart(provider, last_data_ms, nowMs),
  });
}
