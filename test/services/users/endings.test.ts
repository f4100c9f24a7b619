import { randomUUID } from 'node:crypto';
import t from 'tap';
import { endByEvent } from '../../../services/users/actions/connections.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const ending = { database, origin: { actor: null, requestId: 'tests' } };

/** A user with an active connection. `token` is null if it has none. */
async function member(token: string | null = 'sealed') {
  const [person] = await database.query<{ id: string }>(
    'insert into users.person default values returning id',
  );
  const [connection] = await database.query<{ id: string }>(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope, access_token)
     values ($1, 'devicemaker', $2, 'active', '{}', $3) returning id`,
    [person?.id, randomUUID(), token],
  );
  return { user_id: person?.id ?? '', connection_id: connection?.id ?? '' };
}

async function stateOf({ connection_id }: { readonly connection_id: string }) {
  const [row] = await database.query(
    'select status, status_reason as reason, access_token as token from users.connection where id = $1',
    [connection_id],
  );
  return row;
}

const active = { status: 'active', reason: null, token: 'sealed' };

t.test('a reported ending erases the tokens of that connection alone', async (t) => {
  const [ended, tokenless, other] = [await member(), await member(null), await member()];
  t.equal(await endByEvent(ending, ended), true);
  t.equal(await endByEvent(ending, tokenless), true);
  for (const one of [ended, tokenless])
    t.same(await stateOf(one), { status: 'revoked', reason: null, token: null });
  t.same(await stateOf(other), active);
  t.equal(await endByEvent(ending, ended), false, 'it has ended');
});

t.test('a report about a deleted user changes nothing', async (t) => {
  const deleted = await member();
  await database.query('update users.person set deleted_at = now() where id = $1', [deleted.user_id]);
  t.equal(await endByEvent(ending, deleted), false);
  t.same(await stateOf(deleted), active);
});
