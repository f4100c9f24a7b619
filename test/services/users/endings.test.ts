import { randomUUID } from 'node:crypto';
import t from 'tap';
import { endByEvent } from '../../../services/users/connections/endings.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const config = testConfig({ databaseUrl: database.url });
const ending = { database, config, origin: { actor: null, requestId: 'tests' } };

/** A user with an active connection; `token` null where there is nothing to ask the provider with. */
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
const report = { authenticated: false, received_ms: Date.UTC(2026, 0, 5) };

t.test('an ending that nobody authenticated keeps the token, of that connection alone', async (t) => {
  const [ended, other] = [await member(), await member()];
  t.same(await endByEvent(ending, { ...report, ...ended }), { outcome: 'revoked' });
  t.same(await stateOf(ended), { status: 'revoked', reason: 'ENDING_UNCONFIRMED', token: 'sealed' });
  t.same(await stateOf(other), active);
  t.same(await endByEvent(ending, { ...report, ...ended }), { outcome: 'gone' }, 'it has ended');
});

t.test('an authenticated ending, and one without a token, is for good', async (t) => {
  const [reported, tokenless] = [await member(), await member(null)];
  t.same(await endByEvent(ending, { ...report, ...reported, authenticated: true }), { outcome: 'revoked' });
  t.same(await endByEvent(ending, { ...report, ...tokenless }), { outcome: 'revoked' });
  for (const one of [reported, tokenless])
    t.same(await stateOf(one), { status: 'revoked', reason: null, token: null });
});

t.test('a report from before the last confirmation, or about a deleted user, changes nothing', async (t) => {
  const [confirmed, deleted] = [await member(), await member()];
  await database.query(
    `insert into users.access_check (connection_id, provider, confirmed_at) values ($1, 'devicemaker', $2)`,
    [confirmed.connection_id, new Date(report.received_ms + 1)],
  );
  t.same(await endByEvent(ending, { ...report, ...confirmed }), { outcome: 'outdated' });
  t.same(await stateOf(confirmed), active);
  const next = { ...report, ...confirmed, received_ms: report.received_ms + 1 };
  t.same(await endByEvent(ending, next), { outcome: 'revoked' }, 'one of the same instant is new');
  await database.query('update users.person set deleted_at = now() where id = $1', [deleted.user_id]);
  t.same(await endByEvent(ending, { ...report, ...deleted }), { outcome: 'gone' });
  t.same(await stateOf(deleted), active);
});
