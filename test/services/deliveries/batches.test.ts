import t from 'tap';
import { bodyCipherOf } from '../../../mixins/inbox/body-cipher.ts';
import type { BodyKeys } from '../../../mixins/inbox/sealed-bodies.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { bytesPerPiece } from '../../../services/deliveries/tables/deliveries.ts';
import { nextErasureMs } from '../../../services/deliveries/tables/erasures.ts';
import {
  eraseOnePiece,
  requestErasure,
  requestLateErasure,
} from '../../../services/deliveries/work/erasure.ts';
import { sealPiece } from '../../../services/deliveries/work/sealing.ts';
import { freshDatabase } from '../../support/servers/database.ts';

// Erasures in batches, on deliveries that are inserted as they would be after their processing.

const database = await freshDatabase(t);
t.beforeEach(() => database.query('truncate deliveries.delivery, deliveries.erasure, jobs.job cascade'));

/** Instants of one hour, in its seconds. */
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 5) + seconds * 1000).toISOString();

interface Fields {
  readonly provider?: ProviderName;
  readonly headers?: object;
  readonly receivedAt?: string;
  readonly state?: 'done' | 'working';
}

async function deliver(accounts: string | readonly string[], fields: Fields = {}): Promise<string> {
  const body = Buffer.from(JSON.stringify({ dailies: [accounts].flat().map((userId) => ({ userId })) }));
  const { provider = 'devicemaker', headers = {}, receivedAt = at(50), state = 'done' } = fields;
  const [row] = await database.query<{ id: string }>(
    `insert into deliveries.delivery (provider, kind, headers, body, received_at, state, done_at, run_at)
     values ($1, 'push', $2, $3, $4, $5, case when $5 = 'done' then $4::timestamptz end, now() + interval '1 hour')
     returning id`,
    [provider, headers, body, receivedAt, state],
  );
  return row?.id ?? '';
}

const request = (accounts: readonly string[], erasedAt: string, provider: ProviderName = 'devicemaker') =>
  requestErasure(
    database,
    accounts.map((provider_user_id) => ({ provider, provider_user_id })),
    erasedAt,
  );

/** Works on what is due now and what becomes due within a minute. */
async function eraseAll(keys: BodyKeys = {}): Promise<void> {
  await database.query('update deliveries.erasure set run_at = now()');
  while (await eraseOnePiece(database, { graceSeconds: 0, bytesPerPiece, keys }));
}

/** The number of deliveries with a body. */
const kept = async () => (await database.query(`select from deliveries.delivery where body <> ''`)).length;

t.test('each erasure of a batch searches the deliveries until its own time', async (t) => {
  await request(['a'], at(0));
  await request(['b'], at(100));
  await deliver('a');
  await deliver('b');
  await eraseAll();
  t.equal(await kept(), 1, 'a is connected again since, b is not');
});

t.test('more accounts than one batch takes are all erased', async (t) => {
  const accounts = Array.from({ length: 101 }, (_, index) => `account-${String(index).padStart(3, '0')}`);
  for (const account of accounts) await deliver(account);
  await request(accounts, at(100));
  await eraseAll();
  t.equal(await kept(), 0);
  t.same(await database.query('select from deliveries.erasure'), []);
});

t.test('a delivery of the millisecond of the erasure is searched', async (t) => {
  await deliver('a', { receivedAt: '2026-01-05T00:00:00.0004Z' });
  await deliver('a', { receivedAt: '2026-01-05T00:00:00.002Z' });
  await request(['a'], '2026-01-05T00:00:00.000Z');
  await eraseAll();
  t.equal(await kept(), 1);
});

t.test('all deliveries that are being processed wait, however many', async (t) => {
  for (let n = 0; n < 51; n += 1) await deliver('a', { state: 'working' });
  await request(['a'], at(100));
  await eraseAll();
  t.equal(await kept(), 51);
  await database.query(`update deliveries.delivery set state = 'done', done_at = received_at`);
  await eraseAll();
  await eraseAll();
  t.equal(await kept(), 0);
});

t.test('two late deliveries of one instant are both erased', async (t) => {
  for (const id of [await deliver('a'), await deliver('a')]) await requestLateErasure(database, id, ['a']);
  await eraseAll();
  t.equal(await kept(), 0);
});

t.test('a body of one account is emptied for that account, and not for one that it mentions', async (t) => {
  const upload = { provider: 'phone', headers: { 'pulsebus-user-id': 'owner' } } as const;
  await deliver('other', upload);
  await request(['other'], at(100), 'phone');
  await eraseAll();
  t.equal(await kept(), 1);
  await request(['owner'], at(100), 'phone');
  await eraseAll();
  t.equal(await kept(), 0);
});

t.test('the erasure that is due first decides when the job is due', async (t) => {
  await request(['a', 'b'], at(0));
  await database.query(
    `update deliveries.erasure set run_at = now() + case provider_user_id when 'a' then 60 else 600 end * interval '1 s'`,
  );
  const ms = (await nextErasureMs(database)) ?? 0;
  t.ok(ms > 0 && ms <= 60_000, `${ms}`);
});

t.test('encrypted bodies that mention the account go, also for what was fetched', async (t) => {
  const keys = { ENCRYPTION_KEY: ['the secret of this test with 32 characters'] };
  const fetch = (id: string, entry: string, accounts: readonly string[]) =>
    database.query('insert into deliveries.progress (delivery_id, entry, body) values ($1, $2, $3)', [
      ...[id, entry],
      Buffer.from(JSON.stringify(accounts.map((userId) => ({ userId })))),
    ]);
  const [own, shared, other] = [await deliver('erased'), await deliver('kept'), await deliver('kept')];
  await fetch(shared, 'dailies[0]', ['kept']);
  await fetch(shared, 'dailies[1]', ['kept', 'erased']);
  await fetch(other, 'dailies[0]', ['kept']);
  while ((await sealPiece(database, bodyCipherOf(keys), 7)) > 0);
  t.equal(await kept(), 0, 'no plain body');
  t.same(await database.query('select from deliveries.progress where body is not null'), []);
  await request(['erased'], at(100));
  await eraseAll({ ENCRYPTION_KEY: ['another secret of this test, 32 characters'] });
  const waiting = await database.query<{ n: number }>(
    'select cardinality(waiting) as n from deliveries.erasure',
  );
  t.same(waiting, [{ n: 3 }], 'they wait for the secret');
  await eraseAll(keys);
  const sealed = await database.query<{ delivery_id: string; entry: string }>(
    'select delivery_id, entry from deliveries.sealed_body',
  );
  const names = { [own]: 'own', [shared]: 'shared', [other]: 'other' };
  t.same(sealed.map(({ delivery_id, entry }) => `${names[delivery_id]} ${entry}`).toSorted(), [
    'other ',
    'other dailies[0]',
  ]);
});
