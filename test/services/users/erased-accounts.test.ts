import t from 'tap';
import type { Call } from '../../../runtime/environment.ts';
import { accountHashesOf } from '../../../services/users/rules/account-hashes.ts';
import {
  insertErasedAccounts,
  markErased,
  selectErasedAccounts,
  selectErasedAmong,
  selectPurgedAccounts,
} from '../../../services/users/tables/accounts.ts';
import { isHeldByAnother } from '../../../services/users/tables/connections.ts';
import { requestPurge } from '../../../services/users/tables/purges.ts';
import { eraseAccounts, purgeConnection } from '../../../services/users/work/erasure.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const provider = 'devicemaker' as const;
const [former, secret] = ['a former secret', 'the secret'];
const hashes = accountHashesOf({ ENCRYPTION_KEY: [secret] });

/** A user with a connection to an account, and former accounts. */
async function member(account: string, { status = 'active', left = [] as string[] } = {}) {
  const [person] = await database.query<{ id: string }>(
    'insert into users.person default values returning id',
  );
  const userId = person?.id ?? '';
  const [connection] = await database.query<{ id: string }>(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope)
     values ($1, $2, $3, $4, '{}') returning id`,
    [userId, provider, account, status],
  );
  for (const one of left)
    await database.query(
      'insert into users.former_account (user_id, provider, provider_user_id) values ($1, $2, $3)',
      [userId, provider, one],
    );
  return { userId, id: connection?.id ?? '' };
}

const erasedAmong = (...accounts: string[]) => {
  const rotated = accountHashesOf({ ENCRYPTION_KEY: [secret, former] });
  return selectErasedAmong(database, rotated, provider, accounts);
};

t.test(
  'an erased account is recognised after a change of the secret, and until it is connected',
  async (t) => {
    const accounts = ['a', 'b'].map((provider_user_id) => ({ provider, provider_user_id }));
    await insertErasedAccounts(database, accountHashesOf({ ENCRYPTION_KEY: [former] }), accounts);
    t.same(await erasedAmong('a', 'b', 'c'), ['a', 'b']);
    const { userId } = await member('a');
    t.same(await erasedAmong('a', 'b', 'c'), ['b']);
    await database.query('update users.person set deleted_at = now() where id = $1', [userId]);
    t.same(await erasedAmong('a', 'b', 'c'), ['a', 'b'], 'its user is deleted too');
  },
);

t.test('a purge erases the accounts of its user that no other user is connected to', async (t) => {
  const { id } = await member('own', { status: 'revoked', left: ['left', 'shared'] });
  await member('another', { left: ['left by another'] });
  await member('shared');
  t.same(await selectPurgedAccounts(database, id), ['left', 'own']);
});

t.test('a purge is repeated until the deliveries are erased too', async (t) => {
  const { userId, id } = await member('purged', { status: 'revoked' });
  await requestPurge(database, userId, provider);
  const called: string[] = [];
  let isAway = true;
  const call = async (name: string) => {
    called.push(name);
    if (name === 'deliveries.eraseAccounts' && isAway) throw new Error('away');
    return {};
  };
  const purge = () => purgeConnection({ database, call: call as unknown as Call, accountHashes: hashes }, id);
  await t.rejects(purge(), { message: 'away' });
  isAway = false;
  await purge();
  await purge();
  const once = ['timeseries.purge', 'deliveries.eraseAccounts'];
  t.same(called, [...once, ...once], 'what is done is not repeated');
});

t.test('more accounts than a call takes are all erased', async (t) => {
  const accounts = Array.from({ length: 201 }, (_, n) => ({ provider, provider_user_id: `account ${n}` }));
  const erased: unknown[] = [];
  const call = async (_name: string, params: { accounts: unknown[] }) => void erased.push(...params.accounts);
  await eraseAccounts(call as unknown as Call, accounts, new Date(), {});
  t.same(erased, accounts);
});

t.test('an account is held by another user, not by the same one', async (t) => {
  const { userId } = await member('held');
  const { userId: other } = await member('not held');
  const isHeld = (user_id: string) =>
    database.transaction((on) => isHeldByAnother(on, { user_id, provider, provider_user_id: 'held' }));
  t.same([await isHeld(userId), await isHeld(other)], [false, true]);
});

t.test('of two users who are deleted at once each has the own accounts erased', async (t) => {
  const [user, other] = [
    await member('a deleted', { status: 'revoked', left: ['left by a deleted'] }),
    await member('also deleted', { status: 'revoked', left: ['left by also deleted'] }),
  ];
  await database.query('update users.person set deleted_at = now() where id = any($1)', [
    [user.userId, other.userId],
  ]);
  const accountsOf = async ({ userId }: { readonly userId: string }) =>
    (await selectErasedAccounts(database, userId)).map(({ provider_user_id }) => provider_user_id);
  t.same(await accountsOf(user), ['a deleted', 'left by a deleted']);
  await requestPurge(database, user.userId, provider);
  const purges = await database.query('select purge from users.connection where id = $1', [other.id]);
  t.same(purges, [{ purge: null }], 'the purge of one user is not that of the other');
  await markErased(database, user.userId);
  t.same([await accountsOf(user), await accountsOf(other)], [[], ['also deleted', 'left by also deleted']]);
  t.same(
    await database.query(
      'select erased_at is null as waits from users.person where id = any($1) order by 1',
      [[user.userId, other.userId]],
    ),
    [{ waits: false }, { waits: true }],
  );
});
