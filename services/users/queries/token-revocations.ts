import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { isEndingUnconfirmed } from './access-checks.ts';

/** Encrypted tokens of an ended connection, kept for the call that revokes our access at the provider. */
export interface TokenRevocation {
  id: string;
  connection_id: string;
  provider: ProviderName;
  access_token: string;
  refresh_token: string | null;
  expires_at: Date | null;
}

// Written before the connection loses its tokens, in the same transaction.
const noted = `
insert into users.farewell (connection_id, provider, provider_user_id, access_token, refresh_token, expires_at)
select id, provider, provider_user_id, access_token, refresh_token, expires_at from users.connection
where user_id = $1 and ($2::text is null or provider = $2) and access_token is not null
  and (status = 'active' or ${isEndingUnconfirmed('users.connection')})`;

/** Queues the revocation of our access at one provider, or at all of them (null). */
export async function insertTokenRevocations(
  transaction: Queryable,
  userId: string,
  provider: ProviderName | null,
): Promise<void> {
  await transaction.query(noted, [userId, provider]);
}

// Access belongs to the account, not to the connection: it is not revoked while another connection uses the account.
const needless = `
delete from users.farewell f where created_at < now() - interval '1 day' or exists (
  select from users.connection c
  where c.provider = f.provider and c.provider_user_id = f.provider_user_id and (c.status = 'active' or ${isEndingUnconfirmed('c')}))`;
// The claim sets the time of the next try: after 4 s, 8 s and so on up to half an hour.
const claimed = `
with due as (select id from users.farewell where run_at <= now() order by run_at limit 1 for update skip locked)
update users.farewell f
set attempts = attempts + 1, run_at = now() + least(1800, 4 * 2 ^ least(attempts, 10)) * interval '1 s'
from due where f.id = due.id
returning f.id, connection_id, provider, access_token, refresh_token, expires_at`;

/** Claims one due token revocation and deletes those that are no longer needed; undefined if none is due. */
export async function claimTokenRevocation(database: Queryable): Promise<TokenRevocation | undefined> {
  const [due] = await database.query('select from users.farewell where run_at <= now() limit 1');
  if (due === undefined) return undefined;
  await database.query(needless);
  const [row] = await database.query<TokenRevocation>(claimed);
  return row;
}

/** Replaces the tokens of a revocation with refreshed ones. */
export async function updateTokenRevocation(
  database: Queryable,
  { id, access_token, refresh_token, expires_at }: Omit<TokenRevocation, 'connection_id' | 'provider'>,
): Promise<void> {
  await database.query(
    'update users.farewell set access_token = $2, refresh_token = $3, expires_at = $4 where id = $1',
    [id, access_token, refresh_token, expires_at],
  );
}

/** Deletes a revocation that is done. */
export async function deleteTokenRevocation(database: Queryable, id: string): Promise<void> {
  await database.query('delete from users.farewell where id = $1', [id]);
}

/** Cancels the revocations of an account that is connected again. */
export async function dropTokenRevocations(
  transaction: Queryable,
  provider: ProviderName,
  providerUserId: string,
): Promise<void> {
  await transaction.query('delete from users.farewell where provider = $1 and provider_user_id = $2', [
    provider,
    providerUserId,
  ]);
}
