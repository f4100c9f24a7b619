import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** An active connection of a provider account. */
export interface ActiveConnectionRow {
  connection_id: string;
  user_id: string;
  provider_user_id: string;
  connected_at: Date;
}

const statement: Statement = {
  name: 'users.select_active_connections',
  text: `
select id as connection_id, user_id, provider_user_id, connected_at from users.connection
where provider = $1 and provider_user_id = any($2) and status = 'active'
order by provider_user_id, connected_at, id`,
};

/** The active connections of provider accounts; several users may share an account. */
export function selectActiveConnections(
  database: Queryable,
  provider: ProviderName,
  providerUserIds: readonly string[],
): Promise<ActiveConnectionRow[]> {
  return database.query<ActiveConnectionRow>(statement, [provider, providerUserIds]);
}

const page: Statement = {
  name: 'users.select_active_page',
  text: `
select id as connection_id, user_id, provider_user_id, connected_at from users.connection
where provider = $1 and status = 'active' and ($2::uuid is null or id > $2) order by id limit $3`,
};

/** The active connections of a provider with an id above `after`, in the order of their ids. */
export function selectActivePage(
  database: Queryable,
  provider: ProviderName,
  after: string | null,
  limit: number,
): Promise<ActiveConnectionRow[]> {
  return database.query<ActiveConnectionRow>(page, [provider, after, limit]);
}
