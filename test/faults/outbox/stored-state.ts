import { z } from 'zod';
import type { Client } from './client.ts';
import type { State } from './received-state.ts';

const Source = z.object({ provider: z.string(), device: z.string() });
const Item = z.looseObject({ id: z.string() });
const Event = z.looseObject({ id: z.string(), source: Source, start_time: z.string(), end_time: z.string() });
const Day = z.looseObject({ date: z.string() });
const Connection = Item.extend({ provider: z.string(), status: z.string() });
const Backfill = z.object({
  ...{ id: z.string(), provider: z.string(), status: z.string() },
  ...{ start_time: z.string(), end_time: z.string() },
});
const User = Item.extend({ external_user_id: z.string().nullable() });
const Users = z.object({ items: z.array(User), pages: z.int() });
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), pagination: z.object({ next_cursor: z.string().nullable() }) });

/** What the API returns of all users: the fields that events have, and the records. */
export interface StoredState {
  readonly fields: State;
  readonly records: State;
}

/** Reads all objects that events are about. */
export async function readStored(client: Client): Promise<StoredState> {
  const fields = new Map<string, unknown>();
  const records = new Map<string, unknown>();
  const both = (key: string, value: unknown, record: unknown = value) => {
    fields.set(key, value);
    records.set(key, record);
  };
  for (const { id, external_user_id } of await allUsers(client)) {
    both(`user ${id}`, { external_user_id });
    for (const connection of await client.get(`/users/${id}/connections`, z.array(Connection))) {
      const { provider, status } = connection;
      both(`connection ${id} ${connection.id}`, { provider, status });
      const backfill = await backfillOf(client, id, provider);
      if (backfill === null) continue;
      const { id: backfillId, ...rest } = backfill;
      both(`backfill ${id} ${backfillId}`, rest);
    }
    for (const workout of await pages(client, `/users/${id}/events/workouts`, Event))
      both(`workout ${id} ${workout.id}`, { ...spanOf(workout), type: workout.type }, workout);
    for (const sleep of await pages(client, `/users/${id}/events/sleep`, Event))
      both(`sleep ${id} ${sleep.id}`, { ...spanOf(sleep), is_nap: sleep.is_nap }, sleep);
    for (const day of await pages(client, `/users/${id}/summaries/activity`, Day))
      both(`activity_summary ${id} ${day.date}`, undefined, day);
    for (const day of await pages(client, `/users/${id}/days`, Day))
      both(`day ${id} ${day.date}`, undefined, day);
    const body = await client.get(`/users/${id}/summaries/body`, z.unknown());
    if (body !== null) both(`body ${id}`, undefined, body);
  }
  return { fields, records };
}

/** All users. */
async function allUsers(client: Client): Promise<z.infer<typeof User>[]> {
  const all: z.infer<typeof User>[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `/users?sort_by=created_at&sort_order=asc&limit=100&page=${page}`;
    const answer = await client.get(path, Users);
    all.push(...answer.items);
    pages = answer.pages;
  }
  return all;
}

function spanOf({ source, start_time, end_time }: z.infer<typeof Event>) {
  return { ...source, start_time, end_time };
}

async function backfillOf(client: Client, userId: string, provider: string) {
  const { status, body } = await client.request(`/users/${userId}/connections/${provider}/backfill`);
  return status === 200 ? Backfill.parse(body) : null;
}

/** All items of a list with cursors. */
export async function pages<T>(
  client: Client,
  path: string,
  item: z.ZodType<T>,
  range = 'start_date=2020-01-01&end_date=2035-01-01',
): Promise<T[]> {
  const all: T[] = [];
  const schema = pageOf(item);
  for (let cursor: string | null = null; ; ) {
    const query: string = cursor === null ? range : `${range}&cursor=${encodeURIComponent(cursor)}`;
    const page: z.infer<typeof schema> = await client.get(`${path}?${query}&limit=100`, schema);
    all.push(...page.data);
    cursor = page.pagination.next_cursor;
    if (cursor === null) return all;
  }
}
