import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A sweep that is due. */
export interface DueSweep {
  readonly connection_id: string;
  readonly provider: string;
  readonly type: string;
  readonly number: number;
}

const claim: Statement = {
  name: 'pull.claim_sweeps',
  text: `
    select s.connection_id, c.provider, s.type, s.number from pull.sweep s join pull.connection c using (connection_id)
    where s.due_at <= now() and c.ended_at is null order by s.due_at limit $1 for update of s skip locked`,
};

/** Due sweeps, locked until the transaction ends. */
export const lockDueSweeps = (transaction: Queryable, limit: number): Promise<DueSweep[]> =>
  transaction.query<DueSweep>(claim, [limit]);

const move: Statement = {
  name: 'pull.move_sweeps',
  text: `
    update pull.sweep s set due_at = now() + t.every_ms * interval '1 ms'
    from unnest($1::uuid[], $2::text[], $3::int[], $4::float8[]) t (connection_id, type, number, every_ms)
    where s.connection_id = t.connection_id and s.type = t.type and s.number = t.number`,
};

/** Sets when sweeps are due again. */
export async function moveSweeps(
  transaction: Queryable,
  sweeps: readonly (DueSweep & { readonly everyMs: number })[],
): Promise<void> {
  await transaction.query(move, [
    sweeps.map(({ connection_id }) => connection_id),
    sweeps.map(({ type }) => type),
    sweeps.map(({ number }) => number),
    sweeps.map(({ everyMs }) => everyMs),
  ]);
}
