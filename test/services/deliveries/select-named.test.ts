import t from 'tap';
import { selectNamed, selectPiece } from '../../../services/deliveries/tables/deliveries.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const start = '00000000-0000-0000-0000-000000000000';

async function deliver(n: number, body: string, receivedAt = '2026-01-05T00:00:00Z') {
  await database.query(
    `insert into deliveries.delivery (id, provider, kind, headers, body, received_at)
     values ($1, 'devicemaker', 'ping', '{}', $2, $3)`,
    [idOf(n), Buffer.from(body), receivedAt],
  );
}
const fetch = (n: number, entry: string, body: string | null) =>
  database.query('insert into deliveries.progress (delivery_id, entry, body) values ($1, $2, $3)', [
    idOf(n),
    entry,
    body === null ? null : Buffer.from(body),
  ]);

t.beforeEach(() => database.query('truncate deliveries.delivery cascade'));

t.test('a piece counts what was fetched for each delivery with its body', async (t) => {
  for (const n of [1, 2, 3, 4]) await deliver(n, 'x'.repeat(100));
  await fetch(3, 'dailies[0]', 'x'.repeat(1000));
  t.same(await selectPiece(database, start, 200), [idOf(1), idOf(2)]);
  t.same(await selectPiece(database, start, 1299), [idOf(1), idOf(2)]);
  t.same(await selectPiece(database, start, 1300), [1, 2, 3].map(idOf));
  t.same(await selectPiece(database, idOf(2), 1), [idOf(3)], 'one at least');
  t.same(await selectPiece(database, idOf(4), 1), []);
});

t.test('names the deliveries that may name an account, in their body or in what was fetched', async (t) => {
  await deliver(1, '{"userId":"a1"}');
  await deliver(2, '{"userId":"b"}');
  await deliver(3, '{"userId":"b"}');
  await deliver(4, '{"userId":"\\u00611"}');
  await deliver(5, '{"userId":"a1"}', '2026-01-05T00:00:01Z');
  await fetch(3, 'dailies[0]', '{"userId":"a1"}');
  await fetch(3, 'dailies[1]', '{"userId":"b"}');
  await fetch(3, 'dailies[2]', null);
  const named = (ids: number[], provider = 'devicemaker') =>
    selectNamed(database, ids.map(idOf), { provider, accounts: ['a1'], until: '2026-01-05T00:00:00Z' });
  t.same(await named([1, 2, 3, 4, 5]), [1, 3, 4].map(idOf));
  t.same(await named([2, 3]), [idOf(3)], 'of those that were asked for');
  t.same(await named([1, 2, 3, 4, 5], 'activitynet'), []);
});
