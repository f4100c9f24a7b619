import { isoTime, localDate } from '../../../domain/time/time.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { GapDays } from '../rules/gap-days.ts';

/** A connection whose gaps are to be looked for. */
export interface DueConnection {
  readonly connection_id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly gaps_at: string;
  /** Days without data that were requested before, by kind. */
  readonly asked: Readonly<Record<string, readonly string[]>>;
}

const dueStatement: Statement = {
  name: 'freshness.select_due_for_gaps',
  text: `
    select c.connection_id, c.user_id, c.provider, c.gaps_at::text,
      (select coalesce(jsonb_object_agg(a.kind, a.gaps_asked), '{}') from freshness.arrival a
       where a.connection_id = c.connection_id) as asked
    from freshness.connection c
    where c.provider = $1 and c.ended_at is null and c.gaps_at <= $2 order by c.gaps_at limit $3`,
};

/** The connections of a provider that are due, except those whose access ended. */
export const selectDueForGaps = (
  database: Queryable,
  provider: string,
  nowMs: number,
  limit: number,
): Promise<DueConnection[]> => database.query<DueConnection>(dueStatement, [provider, isoTime(nowMs), limit]);

/** A connection, and when its gaps are looked for next. */
interface NextLook {
  readonly due: DueConnection;
  readonly atMs: number;
}

const moveStatement: Statement = {
  name: 'freshness.move_gaps_at',
  text: `
    update freshness.connection c set gaps_at = t.next_at
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) t (id, known_at, next_at)
    where c.connection_id = t.id and c.gaps_at = t.known_at and c.ended_at is null returning c.connection_id`,
};

/**
 * Sets the next time of connections. Returns the ids of connections that no other process moved and that have not
 * ended.
 */
export async function moveGapsAt(transaction: Queryable, next: readonly NextLook[]): Promise<Set<string>> {
  const rows = await transaction.query<{ connection_id: string }>(moveStatement, [
    next.map(({ due: { connection_id } }) => connection_id),
    next.map(({ due: { gaps_at } }) => gaps_at),
    next.map(({ atMs }) => isoTime(atMs)),
  ]);
  return new Set(rows.map(({ connection_id }) => connection_id));
}

const addStatement: Statement = {
  name: 'freshness.add_asked',
  text: `
    update freshness.arrival set gaps_asked = array(select d from unnest(gaps_asked) d where d >= $4) || $3::date[]
    where connection_id = $1 and kind = $2`,
};

/** Notes days as requested. Those before `oldestMs` are forgotten. */
export async function noteAsked(
  transaction: Queryable,
  connectionId: string,
  gaps: readonly GapDays[],
  oldestMs: number,
): Promise<void> {
  for (const { kind, days } of gaps)
    await transaction.query(addStatement, [connectionId, kind, days, localDate(oldestMs, 0)]);
}

const removeStatement: Statement = {
  name: 'freshness.remove_asked',
  text: `
    update freshness.arrival set gaps_asked = array(select d from unnest(gaps_asked) d where d <> all($3))
    where connection_id = $1 and kind = $2 and gaps_asked && $3::date[] returning kind`,
};

/** Notes that days could not be requested. Returns whether they were noted as requested. */
export async function removeAsked(
  transaction: Queryable,
  connectionId: string,
  gaps: readonly GapDays[],
): Promise<boolean> {
  let removed = false;
  for (const { kind, days } of gaps)
    if ((await transaction.query(removeStatement, [connectionId, kind, days])).length > 0) removed = true;
  return removed;
}
