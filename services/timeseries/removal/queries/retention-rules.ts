import { RetentionRule } from '../../../../contracts/timeseries/retention.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A stored rule. */
export interface StoredRule {
  readonly rule: RetentionRule;
  readonly updated_at: Date;
}

/** Serialises the changes of the rule of a project until the transaction ends: a project without a rule has no row to lock. */
export async function lockRule(transaction: Queryable, project: string): Promise<void> {
  const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await transaction.query(lock, [`retention_rule ${project}`]);
}

/** The rule of a project. Null: it has none. */
export async function selectRule(database: Queryable, project: string): Promise<StoredRule | null> {
  const [row] = await database.query<{ rule: unknown; updated_at: Date }>(
    'select rule, updated_at from timeseries.retention_rule where project_id = $1',
    [project],
  );
  return row === undefined ? null : { ...row, rule: RetentionRule.parse(row.rule) };
}

/** Stores the rule of a project. Its pass starts again. */
export async function upsertRule(
  transaction: Queryable,
  project: string,
  rule: RetentionRule,
): Promise<void> {
  await transaction.query(
    `insert into timeseries.retention_rule (project_id, rule) values ($1, $2)
     on conflict (project_id) do update
       set rule = excluded.rule, updated_at = now(), pass_day = null, pass_user = null, pass_series = 0, finished_at = null`,
    [project, JSON.stringify(rule)],
  );
}

/** Deletes the rule of a project. Returns whether there was one. */
export async function deleteRule(database: Queryable, project: string): Promise<boolean> {
  const statement = 'delete from timeseries.retention_rule where project_id = $1 returning 1';
  return (await database.query(statement, [project])).length > 0;
}

/** All rules, by project. */
export async function selectRules(database: Queryable): Promise<ReadonlyMap<string, RetentionRule>> {
  const rows = await database.query<{ project_id: string; rule: unknown }>(
    'select project_id, rule from timeseries.retention_rule',
  );
  return new Map(rows.map(({ project_id, rule }) => [project_id, RetentionRule.parse(rule)]));
}

/** How far the pass of a project has come: the last user whose data is done, and the last series of the next users. */
export interface ProjectPass {
  readonly project_id: string;
  readonly pass_user: string | null;
  readonly pass_series: number;
}

const position = `case when pass_day = $1::date then pass_user end as pass_user,
  case when pass_day = $1::date then pass_series else 0 end as pass_series`;

/** A project whose pass of a day is not done. */
export async function selectUnfinishedPass(
  database: Queryable,
  day: string,
): Promise<ProjectPass | undefined> {
  const [row] = await database.query<ProjectPass>(
    `select project_id, ${position} from timeseries.retention_rule
     where pass_day is distinct from $1::date or finished_at is null order by project_id limit 1`,
    [day],
  );
  return row;
}

/** Locks the rule of a pass and returns it. Null if the rule or the pass has changed since it was read. */
export async function claimPass(
  transaction: Queryable,
  day: string,
  { project_id, pass_user, pass_series }: ProjectPass,
): Promise<RetentionRule | null> {
  const [row] = await transaction.query<ProjectPass & { rule: unknown }>(
    `select rule, project_id, ${position} from timeseries.retention_rule where project_id = $2 for update`,
    [day, project_id],
  );
  const isSame = row?.pass_user === pass_user && row.pass_series === pass_series;
  return isSame ? RetentionRule.parse(row.rule) : null;
}

/** Stores how far a pass has come. */
export async function movePass(
  transaction: Queryable,
  day: string,
  { project_id, pass_user, pass_series }: ProjectPass,
): Promise<void> {
  await transaction.query(
    `update timeseries.retention_rule set pass_day = $2, pass_user = $3, pass_series = $4, finished_at = null
     where project_id = $1`,
    [project_id, day, pass_user, pass_series],
  );
}

/** Records that the pass of a day is done. */
export async function finishPass(transaction: Queryable, day: string, project: string): Promise<void> {
  await transaction.query(
    'update timeseries.retention_rule set pass_day = $2, finished_at = now() where project_id = $1',
    [project, day],
  );
}
