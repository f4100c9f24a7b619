import type { Queryable } from '../../../mixins/database.ts';

/** How many deleted people one round takes on, and how long before another try at one of them. */
const mostPerRound = 100;
const retryAfterSeconds = 15;

// Whoever was tried longest ago comes first: one that cannot be erased does not keep the others waiting.
const statement = `
with due as (
  select id from users.person
  where deleted_at is not null and erased_at is null
    and (erasure_tried_at is null or erasure_tried_at < now() - make_interval(secs => ${retryAfterSeconds}))
  order by erasure_tried_at nulls first limit ${mostPerRound} for update skip locked
)
update users.person p set erasure_tried_at = now() from due where p.id = due.id returning p.id`;

/** Deleted people whose data elsewhere is not erased yet, each handed to one node at a time. */
export async function claimErasures(database: Queryable): Promise<string[]> {
  return (await database.query<{ id: string }>(statement)).map(({ id }) => id);
}

// The account at the provider tells who somebody is: it goes with the rest.
const erased = `
with emptied as (delete from users.connection where user_id = $1),
former as (delete from users.former_account where user_id = $1)
update users.person set erased_at = now() where id = $1 and erased_at is null`;

/** Notes that nothing of a deleted person is left elsewhere, and removes the connections. */
export async function markErased(database: Queryable, id: string): Promise<void> {
  await database.query(erased, [id]);
}
