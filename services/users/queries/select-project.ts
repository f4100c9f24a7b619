import type { Queryable, Statement } from '../../../mixins/database/database.ts';

const statement: Statement = {
  name: 'users.select_project',
  text: 'select project_id from users.person where id = $1',
};

/** The project of a user, deleted or not; null if there is no such user. */
export async function selectProject(database: Queryable, userId: string): Promise<string | null> {
  const [row] = await database.query<{ project_id: string }>(statement, [userId]);
  return row?.project_id ?? null;
}
