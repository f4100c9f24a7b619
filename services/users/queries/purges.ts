import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection whose data is wanted gone; `version` names this wish. */
export interface WantedPurge {
  connection_id: string;
  user_id: string;
  provider: ProviderName;
  version: number;
}

const one = `id as connection_id, user_id, provider, token_version as version`;

/** Notes that the data of a connection that ended is wanted gone; undefined where it is active, or not there. */
export async function wantPurge(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<WantedPurge | undefined> {
  const statement = `
    update users.connection set purge = 'wanted', token_version = token_version + 1
    where user_id = $1 and provider = $2 and status <> 'active' returning ${one}`;
  const [row] = await database.query<WantedPurge>(statement, [userId, provider]);
  return row;
}

/** Some of the purges that nobody was told yet. */
export function selectWantedPurges(database: Queryable): Promise<WantedPurge[]> {
  return database.query<WantedPurge>(
    `select ${one} from users.connection where purge = 'wanted' order by updated_at limit 100`,
  );
}

/** Whether nobody has connected anew, or purged anew, since. */
export async function isStillWanted(
  database: Queryable,
  { connection_id, version }: WantedPurge,
): Promise<boolean> {
  const statement = `select from users.connection where id = $1 and token_version = $2 and purge = 'wanted'`;
  return (await database.query(statement, [connection_id, version])).length > 0;
}

/** Notes that timeseries was told of a purge. */
export async function markPurgeTold(
  database: Queryable,
  { connection_id, version }: WantedPurge,
): Promise<void> {
  await database.query(
    `update users.connection set purge = 'told' where id = $1 and token_version = $2 and purge = 'wanted'`,
    [connection_id, version],
  );
}
