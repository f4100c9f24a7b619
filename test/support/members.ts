import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defaultProject, type Role } from '../../domain/access.ts';
import type { TestApi } from './api.ts';
import { insertDeveloper } from './developer.ts';

/** The password of all members. */
export const password = 'a long password of the tests';

/** Creates an account with a role in each of these projects. */
export async function insertMember(
  { database }: Pick<TestApi, 'database'>,
  email: string,
  memberships: readonly (readonly [project: string, role: Role])[],
): Promise<void> {
  await insertDeveloper(database, { email, password }, { isOwner: false });
  for (const [project, role] of memberships)
    await database.query(
      'insert into auth.member (project_id, developer_id, role) select $1, id, $2 from auth.developer where email = $3',
      [project, role, email],
    );
}

/** The token of a new developer who has a role in a project. */
export async function memberToken(api: TestApi, role: Role, project = defaultProject): Promise<string> {
  const email = `${role}-${randomUUID()}@example.com`;
  await insertMember(api, email, [[project, role]]);
  const login = await api.ask('/api/v1/auth/login', { body: { email, password } });
  return z.object({ access_token: z.string() }).parse(login.body).access_token;
}
