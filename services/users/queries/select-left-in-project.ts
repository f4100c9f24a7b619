import type { Queryable } from '../../../mixins/database/database.ts';
import { countRevocations } from './token-revocations.ts';

/** What delays the deletion of a project. */
interface Left {
  readonly users: number;
  readonly erasing: number;
  readonly revocations: number;
}

/** The number of users of a project, of deleted ones whose erasure in other services is not finished, and of waiting revocations. */
export async function selectLeftInProject(database: Queryable, project: string): Promise<Left> {
  const [row] = await database.query<Pick<Left, 'users' | 'erasing'>>(
    `select count(*) filter (where deleted_at is null)::int as users,
       count(*) filter (where deleted_at is not null and erased_at is null)::int as erasing
     from users.person where project_id = $1`,
    [project],
  );
  return { ...(row ?? { users: 0, erasing: 0 }), revocations: await countRevocations(database, project) };
}
