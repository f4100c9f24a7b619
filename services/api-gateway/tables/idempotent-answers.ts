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

/** The outcome of a request; the answer is ciphertext. */
interface Settled {
  readonly status: number;
  readonly answer: string;
  readonly userId: string | null;
}

const keep: Statement = {
  name: 'gateway.keep_answer',
  text: `
update gateway.idempotent_answer set status = $4, answer = $5, user_id = $6
where caller = $1 and route = $2 and key_hash = $3 and status is null`,
};

const release: Statement = {
  name: 'gateway.release_key',
  text: `
delete from gateway.idempotent_answer where caller = $1 and route = $2 and key_hash = $3 and status is null`,
};

/** Stores the answer of the request that claimed the key. */
export async function keepAnswer(database: Queryable, owner: KeyOwner, settled: Settled): Promise<void> {
  const { caller, route, keyHash } = owner;
  await database.query(keep, [caller, route, keyHash, settled.status, settled.answer, settled.userId]);
}

/** Releases the key of a request without an effect, so that it may run again. */
export async function releaseKey(database: Queryable, { caller, route, keyHash }: KeyOwner): Promise<void> {
  await database.query(release, [caller, route, keyHash]);
}

/** The maximum number of rows per statement. */
export const answersPerStatement = 1000;

const expired = `
delete from gateway.idempotent_answer using (
  select caller, route, key_hash from gateway.idempotent_answer
  where created_at < now() - interval '1 day' limit $1 for update skip locked
) old
where idempotent_answer.caller = old.caller and idempotent_answer.route = old.route
  and idempotent_answer.key_hash = old.key_hash
returning 1`;

const ofUser = `
update gateway.idempotent_answer set status = 410, answer = null where user_id = $1`;

/** Deletes one batch of answers older than a day; returns their number. */
export async function deleteExpiredAnswers(database: Queryable): Promise<number> {
  return (await database.query(expired, [answersPerStatement])).length;
}

/**
 * Empties the answers about an erased user, including running requests. The keys stay claimed, so
 * that a repeated request does not create the user again.
 */
export async function emptyAnswersOfUser(database: Queryable, userId: string): Promise<void> {
  await database.query(ofUser, [userId]);
}
