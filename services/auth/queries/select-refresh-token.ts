import type { Queryable } from '../../../mixins/database/database.ts';

/** A stored refresh token of a family that has not ended. */
export interface RefreshTokenRow {
  family_id: string;
  user_id: string | null;
  consumed: boolean;
}

const statement = `
select f.id as family_id, f.user_id, t.consumed_at is not null as consumed
from auth.refresh_token t join auth.family f on f.id = t.family_id
where t.hash = $1 and f.expires_at > now()`;

/** Reads a refresh token without consuming it; null if it is unknown or its family has ended. */
export async function selectRefreshToken(database: Queryable, hash: string): Promise<RefreshTokenRow | null> {
  const [row] = await database.query<RefreshTokenRow>(statement, [hash]);
  return row ?? null;
}
