import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AccountHashes } from '../rules/account-hashes.ts';

const formerAccount = `
insert into users.former_account (user_id, provider, provider_user_id)
select user_id, provider, provider_user_id from users.connection where id = $2 and user_id = $1
on conflict (user_id, provider, provider_user_id) do update set left_at = excluded.left_at`;

/** Stores the account of a connection before another account replaces it, so that an erasure of the user covers both. */
export async function insertFormerAccount(
  transaction: Queryable,
  userId: string,
  connectionId: string,
): Promise<void> {
  await transaction.query(formerAccount, [userId, connectionId]);
}

/** An account of a deleted user, with the time of the deletion. */
interface ErasedAccountRow {
  provider: ProviderName;
  provider_user_id: string;
  deleted_at: Date;
}

// Users may share an account: if another user was connected to it at the deletion, its data belongs to that user too.
const accountsOfUser = `
with account as (
  select user_id, provider, provider_user_id from users.connection where user_id = $1
  union
  select user_id, provider, provider_user_id from users.former_account where user_id = $1
)
select a.provider, a.provider_user_id, p.deleted_at
from account a join users.person p on p.id = a.user_id
where p.deleted_at is not null and not exists (
  select from users.connection o
  where o.provider = a.provider and o.provider_user_id = a.provider_user_id and o.user_id <> a.user_id
    and o.status = 'active' and o.connected_at <= p.deleted_at)
order by a.provider, a.provider_user_id`;

/** The accounts of a deleted user, including former ones, that no other user was connected to. */
export function selectErasedAccounts(database: Queryable, userId: string): Promise<ErasedAccountRow[]> {
  return database.query<ErasedAccountRow>(accountsOfUser, [userId]);
}

// As for a deleted user: the data of an account that another user is connected to belongs to that user too.
const accountsOfConnection = `
with account as (
  select user_id, provider, provider_user_id from users.connection where id = $1
  union
  select f.user_id, f.provider, f.provider_user_id from users.connection c
  join users.former_account f using (user_id, provider) where c.id = $1
)
select a.provider_user_id from account a
where not exists (
  select from users.connection o
  where o.provider = a.provider and o.provider_user_id = a.provider_user_id and o.id <> $1 and o.status = 'active')
order by 1`;

/** The accounts of a purged connection, including former ones, except those that another user is connected to. */
export async function selectPurgedAccounts(database: Queryable, connectionId: string): Promise<string[]> {
  const rows = await database.query<{ provider_user_id: string }>(accountsOfConnection, [connectionId]);
  return rows.map(({ provider_user_id }) => provider_user_id);
}

/** An account at a provider. */
interface ProviderAccount {
  readonly provider: ProviderName;
  readonly provider_user_id: string;
}

const hashesInserted = `
insert into users.erased_account (provider, account_hash)
select * from unnest($1::text[], $2::bytea[])
on conflict (provider, account_hash) do update set seen_at = now()`;

/** Stores the hashes of accounts whose data is erased. */
export async function insertErasedAccounts(
  database: Queryable,
  accountHashes: AccountHashes,
  accounts: readonly ProviderAccount[],
): Promise<void> {
  const rows = accounts.flatMap(({ provider, provider_user_id }) =>
    accountHashes(provider, provider_user_id)
      .slice(0, 1)
      .map((hash) => ({ provider, hash })),
  );
  if (rows.length === 0) return;
  await database.query(hashesInserted, [rows.map(({ provider }) => provider), rows.map(({ hash }) => hash)]);
}

// An account that was connected again has a connection without a purge, even if that connection has ended since.
const erasedAmong = `
update users.erased_account e set seen_at = now()
from unnest($2::text[], $3::bytea[]) asked (account, hash)
where e.provider = $1 and e.account_hash = asked.hash and not exists (
  select from users.connection c join users.person p on p.id = c.user_id
  where c.provider = $1 and c.provider_user_id = asked.account and c.purge is null and p.deleted_at is null)
returning asked.account`;

/** The accounts among the given ones whose data was erased and that were not connected again. */
export async function selectErasedAmong(
  database: Queryable,
  accountHashes: AccountHashes,
  provider: ProviderName,
  accounts: readonly string[],
): Promise<string[]> {
  const asked = accounts.flatMap((account) =>
    accountHashes(provider, account).map((hash) => ({ account, hash })),
  );
  if (asked.length === 0) return [];
  const values = [provider, asked.map(({ account }) => account), asked.map(({ hash }) => hash)];
  const rows = await database.query<{ account: string }>(erasedAmong, values);
  return [...new Set(rows.map(({ account }) => account))];
}

/** A hash is deleted if the provider sends nothing for the account for this long. */
const keptDays = 90;

/** Deletes the hashes of accounts for which the provider has sent nothing for `keptDays`. */
export async function deleteOldErasedAccounts(database: Queryable): Promise<void> {
  await database.query(
    `delete from users.erased_account where seen_at < now() - interval '${keptDays} days'`,
  );
}

// The account id at the provider identifies the user, so it is deleted too.
const userErased = `
with emptied as (delete from users.connection where user_id = $1),
former as (delete from users.former_account where user_id = $1)
update users.person set erased_at = now() where id = $1 and erased_at is null`;

/** Marks the erasure of a user in other services as finished and deletes the connections. */
export async function markErased(database: Queryable, userId: string): Promise<void> {
  await database.query(userErased, [userId]);
}
