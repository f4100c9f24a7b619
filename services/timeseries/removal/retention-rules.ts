import type { Retention, RetentionChange, RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { deleteRule, lockRule, selectRule, upsertRule } from './queries/retention-rules.ts';

const nothing: RetentionRule = { samples: { default_days: null, types: {} }, events_days: null };

/** The rule that a change of the stored one makes. */
export function changedRule(stored: RetentionRule | null, change: RetentionChange): RetentionRule {
  const { samples, events_days } = stored ?? nothing;
  return {
    samples: change.samples ?? samples,
    events_days: change.events_days === undefined ? events_days : change.events_days,
  };
}

/** The rule of a project in wire format. */
export async function readRetention(
  database: Queryable,
  project: string,
  installationDays: number,
): Promise<Retention> {
  const stored = await selectRule(database, project);
  return {
    ...(stored?.rule ?? nothing),
    installation_days: installationDays === 0 ? null : installationDays,
    updated_at: stored === null ? null : formatInstant(stored.updated_at.getTime()),
  };
}

/** Changes the rule of a project. A rule that keeps everything is deleted. */
export function changeRetention(
  database: Database,
  project: string,
  change: RetentionChange,
  origin: AuditOrigin,
): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockRule(transaction, project);
    const stored = (await selectRule(transaction, project))?.rule ?? null;
    const rule = changedRule(stored, change);
    if (isEmpty(rule)) await deleteRule(transaction, project);
    else await upsertRule(transaction, project, rule);
    const details = { before: textsOf(stored ?? nothing), after: textsOf(rule) };
    await recordAudit(transaction, origin, { action: 'retention.updated', details });
  });
}

function isEmpty({ samples, events_days }: RetentionRule): boolean {
  return samples.default_days === null && Object.keys(samples.types).length === 0 && events_days === null;
}

// A rule as an audit entry shows it: `samples: 730`, `heart_rate: 90`, `events: 365`.
function textsOf({ samples, events_days }: RetentionRule): string[] {
  const types = Object.entries(samples.types).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = [['samples', samples.default_days] as const, ...types, ['events', events_days] as const];
  return all.map(([name, days]) => `${name}: ${days ?? 'all'}`);
}
