import type { Queryable } from '../../../mixins/database/database.ts';

/** A token family that has not ended. */
export interface LiveFamily {
  readonly id: string;
  readonly user_id: string | null;
  readonly developer_id: string | null;
  readonly application_id: string | null;
}

const columns = 'f.id, f.user_id, f.developer_id, f.application_id';

/** The family of a refresh token, consumed or not, by its hash; null if it has ended. */
export async function familyOfRefreshToken(database: Queryable, hash: string): Promise<LiveFamily | null> {
  const statement = `
    select ${columns} from auth.refresh_token t join auth.family f on f.id = t.family_id
    where t.hash = $1 and f.expires_at > now()`;
  const [row] = await database.query<LiveFamily>(statement, [hash]);
  return row ?? null;
}

/** The family with this id; null if it has ended. */
export async function familyOfId(database: Queryable, id: string): Promise<LiveFamily | null> {
  const statement = `select ${columns} from auth.family f where f.id = $1 and f.expires_at > now()`;
  const [row] = await database.query<LiveFamily>(statement, [id]);
  return row ?? null;
}
