import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AccountHashes } from '../erasure/account-hashes.ts';

/** An account at a provider. */
export interface ProviderAccount {
  readonly provider: ProviderName;
  readonly provider_user_id: string;
}

const inserted = `
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
  await database.query(inserted, [rows.map(({ provider }) => provider), rows.map(({ hash }) => hash)]);
}

// An account that was connected again has a connection without a purge, even if that connection has ended since.
const found = `
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
  const rows = await database.query<{ account: string }>(found, values);
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
