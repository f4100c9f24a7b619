import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection that is active again and has work to resume. */
export interface Restoration {
  readonly connection_id: string;
  readonly provider: ProviderName;
  /** Changes with each check of the connection. */
  readonly attempt: number;
  /** When the work stopped. */
  readonly since: Date;
}

/** The restoration of a connection. Undefined if it is finished or the connection ended again. */
export async function selectRestoration(
  database: Queryable,
  connectionId: string,
): Promise<Restoration | undefined> {
  const [row] = await database.query<Restoration>(
    `select a.connection_id, c.provider, a.attempt, a.ending_since as since
     from users.access_check a join users.connection c on c.id = a.connection_id
     where a.connection_id = $1 and a.ending = 'restoring'`,
    [connectionId],
  );
  return row;
}

/** Ends a restoration. Returns false if the connection has changed since it was read. */
export async function finishRestoration(
  database: Queryable,
  { connection_id, attempt }: Restoration,
): Promise<boolean> {
  const rows = await database.query(
    `update users.access_check set ending = null, ending_since = null, failures = 0
     where connection_id = $1 and attempt = $2 and ending = 'restoring' returning connection_id`,
    [connection_id, attempt],
  );
  return rows.length > 0;
}
