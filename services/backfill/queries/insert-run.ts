import type { BackfillRequest } from '../../../domain/provider/provider.ts';
import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A new backfill. */
export interface NewRun {
  /** Default: a new one. */
  readonly id?: string;
  /** Requests of a lower lane are sent first. Default: 0. */
  readonly lane?: number;
  readonly connectionId: string;
  readonly connectedAt: string;
  readonly userId: string;
  readonly provider: ProviderName;
  readonly range: Range;
  readonly steps: readonly BackfillRequest[];
}

const cleared = `delete from backfill.run where connection_id = $1 and state <> 'running'`;
const made = `
insert into backfill.run (id, lane, connection_id, connected_at, user_id, provider, start_time, end_time)
values (coalesce($7, gen_random_uuid()), $8, $1, $2, $3, $4, $5, $6)
on conflict (connection_id) do nothing returning id`;
const planned = `
insert into backfill.step (run_id, position, type, start_time, end_time)
select $1, s.position, s.type, s.start_time, s.end_time
from unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) with ordinality s(type, start_time, end_time, position)`;

/** Inserts a backfill in place of one that ended; false if one is running. */
export async function insertRun(transaction: Queryable, run: NewRun): Promise<boolean> {
  await transaction.query(cleared, [run.connectionId]);
  const values = [
    run.connectionId,
    run.connectedAt,
    run.userId,
    run.provider,
    new Date(run.range.startMs),
    new Date(run.range.endMs),
    run.id ?? null,
    run.lane ?? 0,
  ];
  const [row] = await transaction.query<{ id: string }>(made, values);
  if (row === undefined) return false;
  const { steps } = run;
  await transaction.query(planned, [
    row.id,
    steps.map(({ type }) => type),
    steps.map(({ startMs }) => new Date(startMs)),
    steps.map(({ endMs }) => new Date(endMs)),
  ]);
  return true;
}

/** Whether the newest backfill of its connection has an id. */
export async function isStarted(database: Queryable, id: string): Promise<boolean> {
  return (await database.query('select from backfill.run where id = $1', [id])).length > 0;
}
