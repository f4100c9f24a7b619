import type { Queryable, Statement } from '../../../mixins/database.ts';

/** Which request is meant: whose, on which route, under which key. */
export interface KeyOwner {
  readonly caller: string;
  readonly route: string;
  readonly keyHash: Buffer;
}

/** `is_mine`: nobody asked this before, and the caller of this query runs it. Else what is known of the first one. */
export interface ClaimRow {
  is_mine: boolean;
  request: string | null;
  status: number | null;
  answer: string | null;
  age_seconds: number | null;
}

// Of requests that come at once one inserts, the others wait for its commit and find the row. The reader below
// sees the table as it was before, so a row that was committed meanwhile shows as neither: ask again. A row that is
// past its day and not cleaned up yet is taken over.
const statement: Statement = {
  name: 'gateway.claim_key',
  text: `
with mine as (
  insert into gateway.idempotent_answer as held (caller, route, key_hash, request, user_id)
  values ($1, $2, $3, $4, $5)
  on conflict (caller, route, key_hash) do update
    set request = excluded.request, status = null, answer = null, user_id = excluded.user_id,
      created_at = now()
    where held.created_at < now() - interval '1 day'
  returning 1
)
select exists (select from mine) as is_mine, known.request, known.status, known.answer,
  extract(epoch from now() - known.created_at)::float8 as age_seconds
from (values (1)) one
left join gateway.idempotent_answer known on known.caller = $1 and known.route = $2 and known.key_hash = $3`,
};

/**
 * Takes a key for a request, or tells what became of the request that has it. `userId` is whose erasure empties it,
 * also while it is in work; null where the request makes the user.
 */
export async function claimKey(
  database: Queryable,
  { caller, route, keyHash }: KeyOwner,
  request: string,
  userId: string | null,
): Promise<ClaimRow> {
  const [row] = await database.query<ClaimRow>(statement, [caller, route, keyHash, request, userId]);
  if (row === undefined) throw new Error('a key was neither taken nor found');
  return row;
}
