import type { ProviderName } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database.ts';

/** An account of somebody who was deleted, and when. */
export interface ErasedAccountRow {
  provider: ProviderName;
  provider_user_id: string;
  deleted_at: Date;
}

// An account may be shared: as long as somebody else was connected to it then, what it sent is theirs as well.
const statement = `
select c.provider, c.provider_user_id, p.deleted_at
from users.connection c join users.person p on p.id = c.user_id
where c.user_id = $1 and p.deleted_at is not null and not exists (
  select from users.connection o
  where o.provider = c.provider and o.provider_user_id = c.provider_user_id and o.user_id <> c.user_id
    and o.status = 'active' and o.connected_at <= p.deleted_at)
order by c.provider`;

/** The accounts of a deleted person that were nobody else's. */
export function selectErasedAccounts(database: Queryable, userId: string): Promise<ErasedAccountRow[]> {
  return database.query<ErasedAccountRow>(statement, [userId]);
}
