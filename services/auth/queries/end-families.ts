import type { Queryable } from '../../../mixins/database/database.ts';

/** Ends one family; its access tokens and refresh tokens are invalid at once. False if it had ended before. */
export async function endFamily(database: Queryable, familyId: string): Promise<boolean> {
  return (await database.query('delete from auth.family where id = $1 returning id', [familyId])).length > 0;
}

/** Ends the tokens that a developer made for users of a project; returns their number. */
export async function endUserTokensOf(on: Queryable, project: string, developerId: string): Promise<number> {
  const statement =
    'delete from auth.family where developer_id = $2 and project_id = $1 and user_id is not null returning id';
  return (await on.query(statement, [project, developerId])).length;
}

/** Ends all families that an application obtained. */
export async function endFamiliesOfApplication(database: Queryable, applicationId: string): Promise<void> {
  await database.query('delete from auth.family where application_id = $1', [applicationId]);
}

/** Ends all families of a user; returns their number. */
export async function endFamiliesOfUser(database: Queryable, userId: string): Promise<number> {
  return (await database.query('delete from auth.family where user_id = $1 returning id', [userId])).length;
}

/** Ends a developer's sessions except the one with this id, and the links that are not used yet. */
export async function endOtherSessions(
  database: Queryable,
  developerId: string,
  keep: string | null,
): Promise<void> {
  await database.query(
    'delete from auth.family where developer_id = $1 and user_id is null and id is distinct from $2::uuid',
    [developerId, keep],
  );
  await database.query('delete from auth.sign_in_link where developer_id = $1', [developerId]);
  await database.query('delete from auth.reset_link where developer_id = $1', [developerId]);
}

// A token that the same client uses twice within 10 s is treated as a repeated request (a double click). Any other
// second use indicates a stolen token, whoever was first.
const reused = `
delete from auth.family f using auth.refresh_token t
where t.hash = $1 and f.id = t.family_id and (t.consumed_at < now() - interval '10 seconds' or t.consumed_by <> $2)
returning f.id, f.user_id`;

/**
 * Ends the family of a refresh token that another client used, or that was used more than 10 s ago; null for a
 * repeated request.
 */
export async function endReusedFamily(
  database: Queryable,
  refreshHash: string,
  client: string,
): Promise<{ id: string; user_id: string | null } | null> {
  const [row] = await database.query<{ id: string; user_id: string | null }>(reused, [refreshHash, client]);
  return row ?? null;
}
