import { until } from '../../support/until.ts';
import { type Playing, passQuarters } from '../plays.ts';
import { type Product, settled } from '../product.ts';

/** The plays of a provider whose notifications name what is read again. */
export function pulledPlaying(provider: string): Playing {
  return {
    provider,
    newData: (product) => passQuarters(product, 2),
    async hurry({ api }) {
      await api.database.query('update pull.rate set paused_until = now()');
      await api.database.query(
        'update pull.reading set run_at = now() where run_at is not null and not leased',
      );
    },
  };
}

/** Waits until the service has found a new connection of a user by itself: before that none of its reads can be made due. */
export async function untilFound({ api: { database } }: Product, userId: string): Promise<void> {
  const found = 'select from pull.connection where user_id = $1';
  await until(async () => (await database.query(found, [userId])).length > 0);
}

/** Makes the periodic reads of all connections due. What they demand may have to wait. */
export async function demand({ api: { database } }: Product): Promise<void> {
  await database.query(`update pull.sweep set due_at = now() where ${ofConnections}`);
  const due = `select from pull.sweep where due_at <= now() and ${ofConnections}`;
  await until(async () => (await database.query(due)).length === 0);
}

const ofConnections = `connection_id in (select c.connection_id from pull.connection c where c.ended_at is null)`;

/** Makes all periodic reads due, and waits until they are done. */
export async function sweep(product: Product): Promise<void> {
  await demand(product);
  await settled(product);
}
