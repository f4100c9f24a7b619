import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** An account of a deleted user, with the time of the deletion. */
export interface ErasedAccountRow {
  provider: ProviderName;
  provider_user_id: string;
  deleted_at: Date;
}

// Users may share an account: if another user was connected to it at the deletion, its data belongs to that user too.
const statement = `
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
  return database.query<ErasedAccountRow>(statement, [userId]);
}
