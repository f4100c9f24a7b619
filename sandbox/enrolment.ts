import { z } from 'zod';
import { type Api, ApiFailed } from './api.ts';

const User = z.object({ id: z.string(), external_user_id: z.string().nullable() });
const UserPage = z.object({ items: z.array(User) });

/** A user as it is to be made. */
export interface NewUser {
  readonly external_user_id: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** The id of the user of an external id, who is made if nobody is there. A second call changes nothing. */
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

/** Another process was quicker: null, and the caller looks again. */
async function orTaken<T>(made: Promise<T>): Promise<T | null> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof ApiFailed && error.status === 409) return null;
    throw error;
  }
}
