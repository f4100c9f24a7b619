import type { Queryable, Statement } from '../../../mixins/database.ts';
import { type DeliveryRow, deliveryColumns } from './select-deliveries.ts';

/** Attempts that a replayed delivery gets, beside those that it had. */
const moreAttempts = 16;

// The count of attempts goes on: it is the fence against a worker that still believes it holds the delivery. One that
// is leased, be it to the call that has just stored it (attempt 1, no failure yet), is left alone.
const statement: Statement = {
  name: 'deliveries.replay',
  text: `
    update deliveries.delivery
    set state = 'ready', run_at = now(), replayed_at = now(), done_at = null, error = null,
      max_attempts = attempts + $2
    where id = $1 and (state in ('done', 'dead') or (state = 'ready' and (error is not null or run_at <= now())))
    returning ${deliveryColumns}`,
};

/** Makes a delivery due again; undefined when it is unknown or in work. */
export async function replayDelivery(database: Queryable, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await database.query<DeliveryRow>(statement, [id, moreAttempts]);
  return row;
}

const existence: Statement = {
  name: 'deliveries.exists',
  text: 'select from deliveries.delivery where id = $1',
};

/** Whether there is such a delivery. */
export async function deliveryExists(database: Queryable, id: string): Promise<boolean> {
  return (await database.query(existence, [id])).length > 0;
}
