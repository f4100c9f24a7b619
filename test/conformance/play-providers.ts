import type { Test } from 'tap';
import type { ProviderName } from '../../providers/all.ts';
import { ownTracesOf, tracesLeft } from '../support/traces.ts';
import { until } from '../support/until.ts';
import { startProduct } from './product.ts';
import { descriptors } from './providers.ts';
import { type Erased, playAll } from './suite.ts';

/** Plays all scenarios of some providers, and searches for what is left of the users who were deleted at the end. */
export async function playProviders(t: Test, names: readonly ProviderName[]): Promise<void> {
  const product = await startProduct(t);
  const { database } = product.api;
  const erased: Erased[] = [];
  for (const name of names)
    await t.test(name, async (t) => {
      erased.push(await playAll(t, { product, name, descriptor: descriptors[name] }));
    });

  await t.test('erasure', async (t) => {
    await until(async () => (await database.query(erasing)).length === 0);
    await database.query('analyze');
    t.same(
      await tracesLeft(
        database,
        erased.flatMap(({ texts }) => texts),
      ),
      [],
      'accounts',
    );
    const places = await ownTracesOf(
      database,
      erased.map(({ userId }) => userId),
    );
    t.same(
      [...new Set(places.map((place) => place.replace(/: .*$/, '')))].filter((one) => !idsKept.has(one)),
      [],
      'the ids of the users stand where they must be kept, and nowhere else',
    );
  });
}

// Searching every table costs seconds, so it begins when the work of erasure is done.
const erasing = `
  select from deliveries.erasure
  union all select from jobs.job where kind in ('users.erasure', 'users.token_revocation') and dead_at is null`;

/** The log of changes says `user.deleted`, and tombstones refuse late data. */
const idsKept: ReadonlySet<string> = new Set([
  ...['auth.audit_entry.subject_id', 'auth.audit_entry.user_id', 'changes.change.user_id'],
  ...['changes.pending.user_id', 'changes.user_sequence.user_id', 'connect.attempt.user_id'],
  ...['timeseries.tombstone.user_id', 'users.person.id', 'auth.audit_entry.actor'],
  ...['pg_catalog.pg_stats.histogram_bounds', 'pg_catalog.pg_stats.most_common_vals'],
]);
