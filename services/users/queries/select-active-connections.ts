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
select c.id as connection_id, c.user_id, c.provider_user_id, c.connected_at, p.project_id
from users.connection c join users.person p on p.id = c.user_id
where c.provider = $1 and c.status = 'active' and ($2::uuid is null or c.id > $2) order by c.id limit $3`,
};

/** An active connection with the project of its user. */
export interface ListedConnectionRow extends ActiveConnectionRow {
  project_id: string;
}

/** The active connections of a provider with an id above `after`, in the order of their ids. */
export function selectActivePage(
  database: Queryable,
  provider: ProviderName,
  after: string | null,
  limit: number,
): Promise<ListedConnectionRow[]> {
  return database.query<ListedConnectionRow>(page, [provider, after, limit]);
}
