import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { isEndingUnconfirmed } from './access-checks.ts';

/** An account of somebody who was deleted, and when. */
export interface ErasedAccountRow {
  provider: ProviderName;
  provider_user_id: string;
  deleted_at: Date;
}

// An account may be shared: as long as somebody else was connected to it then, what it sent is theirs as well.
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
    and (o.status = 'active' or ${isEndingUnconfirmed('o')}) and o.connected_at <= p.deleted_at)
order by a.provider, a.provider_user_id`;

/** The accounts of a deleted person, former ones too, that were nobody else's. */
export function selectErasedAccounts(database: Queryable, userId: string): Promise<ErasedAccountRow[]> {
  return database.query<ErasedAccountRow>(statement, [userId]);
}
