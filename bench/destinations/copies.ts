import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DestinationKind } from '../../contracts/destinations/schemas.ts';
import type { Database } from '../../mixins/database/database.ts';
import { enqueueRun } from '../../services/destinations/actions/destinations.ts';
import { resetDestination, selectDestination } from '../../services/destinations/tables/destinations.ts';
import type { Product } from '../product.ts';

const Created = z.object({ id: z.string() });

/** Creates a destination. Returns its id. */
export async function createDestination(
  product: Pick<Product, 'post'>,
  kind: DestinationKind,
  settings: object,
): Promise<string> {
  return Created.parse(await product.post('/destinations', { kind, settings })).id;
}

/** Copies everything into a destination again, without the others. Returns the seconds from the first step of the copy to its end. */
export async function copyAnew(database: Database, id: string): Promise<number> {
  await database.transaction(async (transaction) => {
    await resetDestination(transaction, id, true);
    await transaction.query('update destinations.destination set paused = id <> $1', [id]);
    await enqueueRun(transaction, id);
  });
  const find = () => selectDestination(database, id);
  const version = (await find())?.version;
  await until(async () => (await find())?.version !== version);
  const began = performance.now();
  await until(async () => (await find())?.snapshot === null);
  return (performance.now() - began) / 1000;
}

const lookEveryMs = 20;

/** Waits until something is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(lookEveryMs);
}
