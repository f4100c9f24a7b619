import type { Queryable } from '../../../mixins/database.ts';

/** How many deleted users one round processes, and the pause before a retry. */
const mostPerRound = 100;
const retryAfterSeconds = 15;

// The longest untried user comes first, so that an erasure that keeps failing does not block the others.
const statement = `
with due as (
  select id from users.person
  where deleted_at is not null and erased_at is null
    and (erasure_tried_at is null or erasure_tried_at < now() - make_interval(secs => ${retryAfterSeconds}))
  order by erasure_tried_at nulls first limit ${mostPerRound} for update skip locked
)
update users.person p set erasure_tried_at = now() from due where p.id = due.id returning p.id`;

/** Deleted users whose data in other services is not erased yet, each claimed by one node at a time. */
export async function claimErasures(database: Queryable): Promise<string[]> {
  return (await database.query<{ id: string }>(statement)).map(({ id }) => id);
}

// The account id at the provider identifies the user, so it is deleted too.
const erased = `
with emptied as (delete from users.connection where user_id = $1),
former as (delete from users.former_account where user_id = $1)
update users.person set erased_at = now() where id = $1 and erased_at is null`;

/** Marks the erasure of a user in other services as finished and deletes the connections. */
export async function markErased(database: Queryable, id: string): Promise<void> {
  await database.query(erased, [id]);
}
