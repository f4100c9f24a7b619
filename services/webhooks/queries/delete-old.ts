import type { Queryable } from '../../../mixins/database/database.ts';

/** Rows that one statement deletes. */
const rowsPerPart = 5000;

/** Deletes markers of published changes that delay no change any more. Returns whether some may be left. */
export async function deleteMarkers(database: Queryable): Promise<boolean> {
  const rows = await database.query(
    `delete from changes.pending where (user_id, kind, object) in (
       select user_id, kind, object from changes.pending
       where due_at is null and published_at < now() - (
         select greatest(interval '1 minute', live, historical) from changes.joining)
       order by published_at limit ${rowsPerPart} for update skip locked)
     returning 1`,
  );
  return rows.length === rowsPerPart;
}

/** Deletes attempts that are older than some days. Returns whether some may be left. */
export async function deleteOldAttempts(database: Queryable, days: number): Promise<boolean> {
  const rows = await database.query(
    `delete from webhooks.attempt where (message_id, number) in (
       select message_id, number from webhooks.attempt where at < now() - $1 * interval '1 day'
       order by at limit ${rowsPerPart})
     returning 1`,
    [days],
  );
  return rows.length === rowsPerPart;
}

/**
 * Deletes messages that were delivered or dropped and are older than `deliveredDays`, and all that are older than `days`.
 * Returns whether some may be left.
 */
export async function deleteOldMessages(
  database: Queryable,
  { deliveredDays, days }: { readonly deliveredDays: number; readonly days: number },
): Promise<boolean> {
  const rows = await database.query(
    `delete from webhooks.message where id in (
       select id from webhooks.message
       where created_at < now() - $1 * interval '1 day' and not leased
         and (state in ('delivered', 'dropped') or created_at < now() - $2 * interval '1 day')
       order by created_at limit ${rowsPerPart})
     returning 1`,
    [Math.min(deliveredDays, days), days],
  );
  return rows.length === rowsPerPart;
}

/** Deletes messages of a deleted endpoint. Returns whether some may be left. */
export async function deleteMessagesOf(database: Queryable, endpointId: string): Promise<boolean> {
  const rows = await database.query(
    `delete from webhooks.message where id in (
       select id from webhooks.message where endpoint_id = $1
         and not exists (select from webhooks.endpoint where id = $1)
       limit ${rowsPerPart})
     returning 1`,
    [endpointId],
  );
  return rows.length === rowsPerPart;
}

/**
 * Deletes changes that are older than some days, and stores up to which id, so that an older cursor is refused. The
 * sequence of a user ends with the last change of the erased user. Returns whether some may be left.
 */
export async function deleteOldChanges(database: Queryable, days: number): Promise<boolean> {
  const [row] = await database.query<{ deleted: number }>(
    `with deleted as (
       delete from changes.change where id in (
         select id from changes.change where published_at < now() - $1 * interval '1 day'
         order by id limit ${rowsPerPart})
       returning id, user_id, type
     ),
     noted as (
       update changes.expired set last_id = greatest(last_id, (select max(id) from deleted))
       where exists (select from deleted)
     ),
     ended as (
       delete from changes.user_sequence s using deleted d
       where d.type = 'user.deleted' and s.user_id = d.user_id
     )
     select count(*)::int as deleted from deleted`,
    [days],
  );
  return row?.deleted === rowsPerPart;
}
