import { z } from 'zod';
import { type Api, ApiFailed } from './api.ts';

const User = z.object({ id: z.string(), external_user_id: z.string().nullable() });
const UserPage = z.object({ items: z.array(User) });

/** The fields of a new user. */
export interface NewUser {
  readonly external_user_id: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** The id of the user with an external id, who is created if necessary. A second call changes nothing. */
export async function ensureUser(api: Api, headers: Record<string, string>, body: NewUser): Promise<string> {
  const { external_user_id } = body;
  const user =
    (await find(api, headers, external_user_id)) ??
    (await orTaken(api.request(User, 'POST', '/users', { headers, body }))) ??
    (await find(api, headers, external_user_id));
  if (user === null) throw new Error(`The user ${external_user_id} is neither there nor can be made.`);
  return user.id;
}

async function find(api: Api, headers: Record<string, string>, external_user_id: string) {
  const query = { external_user_id, limit: '2' };
  const page = await api.request(UserPage, 'GET', '/users', { headers, query });
  return page.items.find((user) => user.external_user_id === external_user_id) ?? null;
}

/** Null if another process created the user first. */
async function orTaken<T>(made: Promise<T>): Promise<T | null> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof ApiFailed && error.status === 409) return null;
    throw error;
  }
}
