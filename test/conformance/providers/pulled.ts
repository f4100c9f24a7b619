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

/** Makes all periodic reads due, and waits until they are done. */
export async function sweep(product: Product): Promise<void> {
  const { database } = product.api;
  await database.query('update pull.sweep set due_at = now()');
  await until(
    async () => (await database.query('select from pull.sweep where due_at <= now()')).length === 0,
  );
  await settled(product);
}
