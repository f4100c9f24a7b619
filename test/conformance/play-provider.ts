import type { Test } from 'tap';
import type { ProviderName } from '../../providers/all.ts';
import { ownTracesOf, tracesLeft, tracesOf } from '../support/traces.ts';
import { until } from '../support/until.ts';
import { isPart } from './chosen.ts';
import { type Product, startProduct } from './product.ts';
import { descriptors } from './providers.ts';
import { type Erased, playAll } from './suite.ts';

/**
 * Plays the scenarios of a provider in a product of its own, and searches for what is left of the user who was deleted at the end.
 * CONFORMANCE_SCENARIOS=lost,forged plays these scenarios only.
 */
export async function playProvider(t: Test, name: ProviderName): Promise<void> {
  const product = await startProduct(t);
  const ended: Erased[] = [];
  await t.test(name, async (t) => {
    ended.push(...(await playAll(t, { product, name, descriptor: descriptors[name] })));
  });
  for (const erased of ended) await t.test('erasure', (t) => searchTraces(t, product, erased));
}

async function searchTraces(t: Test, { api }: Product, { userId, texts }: Erased): Promise<void> {
  const { database } = api;
  await until(async () => {
    for (const statement of hurryErasure) await database.query(statement);
    return (await database.query(erasing)).length === 0;
  });
  await database.query('analyze');
  // A part is played to find a fault, and then nothing vanishes.
  t.same(await (isPart ? tracesOf : tracesLeft)(database, texts), [], 'accounts');
  const places = await ownTracesOf(database, [userId]);
  t.same(
    [...new Set(places.map((place) => place.replace(/: .*$/, '')))].filter((one) => !idsKept.has(one)),
    [],
    'the id of the user stands where it must be kept, and nowhere else',
  );
}

// Deliveries are left alone for half a minute, because their answers may still be sent. Here all of them are. Erasure waits for
// deliveries that wait for a provider.
const hurryErasure = [
  `update deliveries.delivery set run_at = now() where state = 'ready' and run_at > now()`,
  `update deliveries.delivery set done_at = done_at - interval '1 minute' where done_at > now() - interval '1 minute'`,
  'update deliveries.erasure set run_at = now() where run_at > now()',
  `update jobs.job set run_at = now() where kind = 'deliveries.erasure' and run_at > now() and not leased`,
];

// Searching every table costs seconds, so it begins when the work of erasure is done.
const erasing = `
  select from deliveries.erasure
  union all select from jobs.job where kind in ('users.erasure', 'users.token_revocation') and dead_at is null
  union all select from users.list_change where sign < 0`;

/** The log of changes says `user.deleted`, tombstones refuse late data, and windows of rate limits end after two minutes. */
const idsKept: ReadonlySet<string> = new Set([
  ...['auth.audit_entry.subject_id', 'auth.audit_entry.user_id', 'changes.change.user_id'],
  ...['changes.pending.user_id', 'changes.user_sequence.user_id', 'connect.attempt.user_id'],
  ...[
    'timeseries.tombstone.user_id',
    'users.person.id',
    'auth.audit_entry.actor',
    'auth.rate_window.subject',
  ],
  ...['pg_catalog.pg_stats.histogram_bounds', 'pg_catalog.pg_stats.most_common_vals'],
]);
