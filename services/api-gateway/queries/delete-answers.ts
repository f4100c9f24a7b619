import type { Queryable } from '../../../mixins/database/database.ts';

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
update gateway.idempotent_answer set status = 410, answer = null where user_id = $1 returning 1`;

/** Deletes one batch of answers older than a day; returns their number. */
export async function deleteExpiredAnswers(database: Queryable): Promise<number> {
  return (await database.query(expired, [answersPerStatement])).length;
}

/**
 * Empties the answers about an erased user, including running requests; returns their number. The keys stay claimed, so
 * that a repeated request does not create the user again.
 */
export async function emptyAnswersOfUser(database: Queryable, userId: string): Promise<number> {
  return (await database.query(ofUser, [userId])).length;
}
