import type { Config } from '../../../config.ts';
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
import type { Call, Meta } from '../../../runtime/environment.ts';
import { projectOf } from '../../../runtime/user-project.ts';
import {
  countOldEvents,
  countOldSamples,
  deleteRule,
  lockRule,
  selectRule,
  upsertRule,
} from '../tables/retention.ts';
import { type KeptDaysOfUsers, keptDays } from '../work/kept-days.ts';

interface RetentionContext {
  readonly database: Database;
  readonly keptDays: KeptDaysOfUsers;
  readonly call: Call;
  readonly config: Config;
  readonly meta: Meta;
  readonly origin: AuditOrigin;
}

interface ChangeContext extends RetentionContext {
  readonly params: RetentionChange;
}

/** The actions on the retention rule of a project. */
export const retentionHandlers = {
  retention({ database, config, meta }: RetentionContext): Promise<Retention> {
    return readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS);
  },
  async changeRetention(context: ChangeContext): Promise<Retention> {
    const { database, config, meta, origin, params } = context;
    await changeRetention(database, projectOf(meta), params, origin);
    context.keptDays.forget();
    return readRetention(database, projectOf(meta), config.SAMPLE_RETENTION_DAYS);
  },
  async previewRetention(context: ChangeContext): Promise<RetentionPreview> {
    const { database, call, config, meta, params } = context;
    const rule = changedRule((await selectRule(database, projectOf(meta)))?.rule, params);
    const counting = { database, call, installationDays: config.SAMPLE_RETENTION_DAYS };
    return countExpired(counting, projectOf(meta), rule, Date.now());
  },
  async forgetProject(context: RetentionContext & { readonly params: { readonly project_id: string } }) {
    const deleted = await deleteRule(context.database, context.params.project_id);
    context.keptDays.forget();
    return { deleted };
  },
};

const nothing: RetentionRule = { samples_days: null, events_days: null };

function changedRule(rule: RetentionRule = nothing, change: RetentionChange): RetentionRule {
  const { samples_days = rule.samples_days, events_days = rule.events_days } = change;
  return { samples_days, events_days };
}

async function readRetention(
  database: Queryable,
  project: string,
  installationDays: number,
): Promise<Retention> {
  const row = await selectRule(database, project);
  return {
    ...(row?.rule ?? nothing),
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
    const before = (await selectRule(transaction, project))?.rule ?? nothing;
    const after = changedRule(before, change);
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
