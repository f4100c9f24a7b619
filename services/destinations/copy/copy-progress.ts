import { z } from 'zod';
import type { Queryable } from '../../../mixins/database/database.ts';
import { advance } from '../queries/commit.ts';
import type { DestinationRow } from '../queries/destinations.ts';
import type { Run } from '../targets/target.ts';

/** How far the copy of what was stored before has come: all users up to `after`. */
const CopiedUsers = z.object({ after: z.uuid().nullable().default(null) });

const Progress = z.object({
  /** The number of the copy; a higher one is a later one. Null: not begun. */
  generation: z.string().nullable().default(null),
  /** Whether the copy begins anew. */
  reset: z.boolean().default(false),
});

/** The number of the copy, or null if one begins. */
export function generationOf({ progress }: DestinationRow): string | null {
  const { generation, reset } = Progress.parse(progress);
  return reset ? null : generation;
}

/** Stores that a copy has begun. */
export async function storeBegun({ destination, database }: Run): Promise<void> {
  const { position, snapshot, version } = destination;
  const progress = { generation: version };
  await advance(database, destination, { position, snapshot, progress, rows: 0 });
}

/** Stores how far a copy has come. */
export function storeAdvance(
  { destination, database }: Run,
  next: { readonly position: string; readonly snapshot: DestinationRow['snapshot']; readonly rows: number },
): Promise<void> {
  return advance(database, destination, { ...next, progress: destination.progress });
}

/** The next users of a copy. */
export interface UsersPage {
  readonly after: string | null;
  readonly users: readonly string[];
  /** The last user of the page; null if no user follows. */
  readonly last: string | null;
}

const usersPerPage = 200;

// At least one user, then as many as have the rows of a commit together. Statistics have the number of samples.
const statement = {
  name: 'destinations.select_users',
  text: `
    with next as (
      select id from users.person where project_id = $1 and deleted_at is null
        and id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
      order by id limit ${usersPerPage}
    ),
    counted as (
      select u.id, coalesce((
        select sum(d.n) from timeseries.series s join timeseries.sample_day d on d.series_id = s.id
        where s.user_id = u.id), 0) as n
      from next u
    )
    select id, total - n < $3 as is_included from (
      select id, n, sum(n) over (order by id) as total from counted) c
    order by id`,
};

/** The users whose rows are copied next. */
export async function selectUsersPage(
  database: Queryable,
  { destination, pace }: Run,
  snapshot: NonNullable<DestinationRow['snapshot']>,
): Promise<UsersPage> {
  const { after } = CopiedUsers.parse(snapshot);
  const found = await database.query<{ id: string; is_included: boolean }>(statement, [
    destination.project_id,
    after,
    pace.rowsPerCommit,
  ]);
  const users = found.filter(({ is_included }) => is_included).map(({ id }) => id);
  const isLast = found.length < usersPerPage && users.length === found.length;
  return { after, users, last: isLast ? null : (users.at(-1) ?? null) };
}

/** The snapshot of a destination after a page. */
export function afterPage({ last }: UsersPage): DestinationRow['snapshot'] {
  return last === null ? null : { after: last };
}
