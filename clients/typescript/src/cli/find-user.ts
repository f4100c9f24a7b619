import { NotFoundError, type Pulsebus, type User } from '../index.ts';
import { Failure } from './command.ts';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The user with an id, otherwise the one with this external id. @throws Failure */
export async function findUser(client: Pulsebus, name: string, signal: AbortSignal): Promise<User> {
  const byId = uuid.test(name) ? await getUser(client, name, signal) : null;
  const { items } =
    byId === null
      ? await client.users.list({ external_user_id: name, limit: 1 }, { signal })
      : { items: [byId] };
  const [user] = items;
  if (user === undefined) throw new Failure(`No user has the id or external id ${JSON.stringify(name)}.`);
  return user;
}

async function getUser(client: Pulsebus, user_id: string, signal: AbortSignal): Promise<User | null> {
  try {
    return await client.users.get({ user_id }, { signal });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
