import type { Queryable } from '../../../mixins/database/database.ts';

/** Tokens of a connection of which at least one was not encrypted with the first secret. */
export interface SealedRow {
  id: string;
  access_token: string | null;
  refresh_token: string | null;
  previous_refresh_token: string | null;
}

/** How many connections one statement takes. */
export const sealedPerBatch = 200;

const select = `
  select id, access_token, refresh_token, previous_refresh_token from users.connection
  where ($1::uuid is null or id > $1) and (not starts_with(access_token, $2) or not starts_with(refresh_token, $2)
    or not starts_with(previous_refresh_token, $2))
  order by id limit ${sealedPerBatch}`;

// The version is unchanged because the tokens are the same: a running refresh can still store its result. Tokens that
// changed meanwhile are not overwritten.
const update = `
  update users.connection c set access_token = t.access_token, refresh_token = t.refresh_token,
    previous_refresh_token = t.previous_refresh_token
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    t (id, access_token, refresh_token, previous_refresh_token, old_access_token, old_refresh_token, old_previous)
  where c.id = t.id and c.access_token is not distinct from t.old_access_token
    and c.refresh_token is not distinct from t.old_refresh_token
    and c.previous_refresh_token is not distinct from t.old_previous
  returning 1`;

/** The next connections behind `afterId` with tokens that do not begin with `newest`. */
export function selectSealed(
  database: Queryable,
  afterId: string | null,
  newest: string,
): Promise<SealedRow[]> {
  return database.query<SealedRow>(select, [afterId, newest]);
}

/** Replaces the ciphertext of tokens that have not changed since they were read. Returns the number of rows. */
export async function replaceSealed(
  database: Queryable,
  pairs: readonly { readonly old: SealedRow; readonly fresh: SealedRow }[],
): Promise<number> {
  if (pairs.length === 0) return 0;
  const rows = await database.query(update, [
    pairs.map(({ fresh }) => fresh.id),
    pairs.map(({ fresh }) => fresh.access_token),
    pairs.map(({ fresh }) => fresh.refresh_token),
    pairs.map(({ fresh }) => fresh.previous_refresh_token),
    pairs.map(({ old }) => old.access_token),
    pairs.map(({ old }) => old.refresh_token),
    pairs.map(({ old }) => old.previous_refresh_token),
  ]);
  return rows.length;
}

/** How many connections the check at the start reads: a wrong secret decrypts none, so a sample is enough. */
export const unreadableSample = 1000;

const unreadable = `
  select count(*)::int as connections
  from (select access_token, refresh_token from users.connection order by id limit ${unreadableSample}) c
  where exists (select from unnest(array[access_token, refresh_token]) t (token)
    where token is not null and not exists (select from unnest($1::text[]) p (prefix) where starts_with(token, prefix)))`;

/** How many of the first connections have a token that begins with none of the prefixes. */
export async function countUnreadable(database: Queryable, prefixes: readonly string[]): Promise<number> {
  const [row] = await database.query<{ connections: number }>(unreadable, [prefixes]);
  return row?.connections ?? 0;
}
