import type { Queryable } from '../../../mixins/database/database.ts';
import type { Lifetimes } from '../tokens/lifetimes.ts';

/** The family that a refresh token was used for. */
export interface FamilyRow {
  id: string;
  user_id: string | null;
  developer_id: string | null;
  issued_by: string;
  /** Until the family ends. */
  seconds_left: number;
}

// The family is locked first, in the same order as by its end, and then the token: of concurrent requests only one finds
// consumed_at null.
const statement = `
with held as (
  select f.id, least(
    now() + make_interval(secs => case when f.user_id is null then $3::float8 else $5 end),
    f.created_at + make_interval(secs => case when f.user_id is null then $4::float8 else $6 end)) as until
  from auth.refresh_token t join auth.family f on f.id = t.family_id
  where t.hash = $1 and f.expires_at > now() for update of f
), used as (
  update auth.refresh_token t set consumed_at = clock_timestamp(), consumed_by = $7
  from held where t.hash = $1 and t.family_id = held.id and t.consumed_at is null and held.until > now()
  returning t.family_id, held.until
), extended as (
  update auth.family f set expires_at = used.until from used where f.id = used.family_id
  returning f.id, f.user_id, f.developer_id, f.issued_by,
    extract(epoch from f.expires_at - now())::float8 as seconds_left
), next as (
  insert into auth.refresh_token (hash, family_id) select $2, id from extended
)
select * from extended`;

/**
 * Consumes a refresh token for a client and inserts the next one; null if it was consumed before, or its family has
 * ended or reached its absolute lifetime.
 */
export async function consumeRefreshToken(
  database: Queryable,
  hash: string,
  nextHash: string,
  { developer, sdk }: Lifetimes,
  client: string,
): Promise<FamilyRow | null> {
  const values = [
    hash,
    nextHash,
    developer.refreshSeconds,
    developer.absoluteSeconds,
    sdk.refreshSeconds,
    sdk.absoluteSeconds,
    client,
  ];
  const [row] = await database.query<FamilyRow>(statement, values);
  return row ?? null;
}
