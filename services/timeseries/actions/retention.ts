import type {
  Retention,
  RetentionChange,
  RetentionPreview,
  RetentionRule,
} from '../../../contracts/timeseries/retention.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import {
  countOldEvents,
  countOldSamples,
  deleteRule,
  lockRule,
  selectRule,
  upsertRule,
} from '../tables/retention.ts';
import { keptDays } from '../work/kept-days.ts';

const nothing: RetentionRule = { samples_days: null, events_days: null };

/** The rule of a project as a change would leave it. */
export async function changedRule(
  database: Queryable,
  project: string,
  change: RetentionChange,
): Promise<RetentionRule> {
  const rule = (await selectRule(database, project)) ?? nothing;
  const { samples_days = rule.samples_days, events_days = rule.events_days } = change;
  return { samples_days, events_days };
}

/** The rule of a project, and the days of the installation. */
export async function readRetention(
  database: Queryable,
  project: string,
  installationDays: number,
): Promise<Retention> {
  const row = await selectRule(database, project);
  return {
    samples_days: row?.samples_days ?? null,
    events_days: row?.events_days ?? null,
    installation_days: installationDays === 0 ? null : installationDays,
    updated_at: row === null ? null : formatInstant(row.updated_at.getTime()),
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
    const before = (await selectRule(transaction, project)) ?? nothing;
    const after = await changedRule(transaction, project, change);
    if (after.samples_days === null && after.events_days === null) await deleteRule(transaction, project);
    else await upsertRule(transaction, project, after);
    const details = { before: textsOf(before), after: textsOf(after) };
    await recordAudit(transaction, origin, { action: 'retention.updated', details });
  });
}

// A rule as an audit entry shows it: `samples: 730`, `events: all`.
function textsOf({ samples_days, events_days }: RetentionRule): string[] {
  return [`samples: ${samples_days ?? 'all'}`, `events: ${events_days ?? 'all'}`];
}

/** Users per statement of a count. */
const usersPerPage = 1000;

interface Counting {
  readonly database: Queryable;
  readonly call: Call;
  readonly installationDays: number;
}

/** Counts what a pass at an instant would delete of the users of a project under a rule. */
export async function countExpired(
  { database, call, installationDays }: Counting,
  project_id: string,
  rule: RetentionRule,
  nowMs: number,
): Promise<RetentionPreview> {
  const kept = keptDays(nowMs, installationDays, rule);
  const counts = { samples: 0, events: 0 };
  for (let after: string | null = null; ; ) {
    const { users }: { users: string[] } = await call('users.inProject', {
      project_id,
      after,
      limit: usersPerPage,
    });
    if (kept.samples !== null) counts.samples += await countOldSamples(database, users, kept.samples);
    if (kept.events !== null) counts.events += await countOldEvents(database, users, kept.events);
    if (users.length < usersPerPage) return counts;
    after = users.at(-1) ?? null;
  }
}
