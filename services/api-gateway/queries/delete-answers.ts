import type { Queryable } from '../../../mixins/database.ts';

/** How many rows one statement takes. */
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

/** Deletes one batch of answers that were kept for a day; tells how many. */
export async function deleteExpiredAnswers(database: Queryable): Promise<number> {
  return (await database.query(expired, [answersPerStatement])).length;
}

/**
 * Empties the answers about a user who is erased, those in work too; returns how many there were. The keys stay taken,
 * so that nothing makes the user anew.
 */
export async function emptyAnswersOfUser(database: Queryable, userId: string): Promise<number> {
  return (await database.query(ofUser, [userId])).length;
}
