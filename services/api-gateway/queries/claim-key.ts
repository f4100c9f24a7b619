import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** The identity of a request: caller, route and key. */
export interface KeyOwner {
  readonly caller: string;
  readonly route: string;
  readonly keyHash: Buffer;
}

/** `is_mine`: the key was claimed by this query, and its caller runs the request. Else the row of the first request. */
export interface ClaimRow {
  is_mine: boolean;
  request: string | null;
  status: number | null;
  answer: string | null;
  age_seconds: number | null;
}

// Of concurrent requests one inserts; the others wait for its commit. The final select reads the snapshot from before the
// commit, so it may find neither result: the caller repeats the query. An expired row that is not deleted yet is replaced.
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
 * Claims a key for a request, or returns the row of the request that has it. The erasure of `userId` empties the row, also
 * while the request is running; null if the request creates the user.
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
