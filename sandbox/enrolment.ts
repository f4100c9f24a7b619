import { z } from 'zod';
import { formatInstant } from '../domain/time.ts';
import { type Api, ApiFailed } from './api.ts';
import type { Person } from './people.ts';
import { instantOf } from './zone.ts';

/** A person as a user of the API, and how far their data goes there. */
export interface Enrolled {
  readonly person: Person;
  readonly user_id: string;
  /** Whether their device maker's account is still linked: somebody may have cut it, and it is not ours to mend. */
  readonly linked: boolean;
}

const User = z.object({ id: z.string(), external_user_id: z.string().nullable() });
const UserPage = z.object({ items: z.array(User) });
const Connection = z.object({ provider: z.string(), provider_user_id: z.string(), status: z.string() });
const Buckets = z.object({ data: z.array(z.object({ timestamp: z.string() })) });
const scope = ['ACTIVITY_EXPORT', 'HEALTH_EXPORT', 'HISTORICAL_DATA_EXPORT'];

/** Finds a person's user by external id, or makes one, linked to their account. A second call changes nothing. */
export async function enrol(api: Api, headers: Record<string, string>, person: Person): Promise<Enrolled> {
  const [first_name, last_name] = person.traits.title;
  const { external_user_id } = person;
  const user_id = await ensureUser(api, headers, { external_user_id, first_name, last_name });
  return await link(api, headers, person, user_id);
}

/** A user as it is to be made. */
export interface NewUser {
  readonly external_user_id: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** The id of the user of an external id, who is made if nobody is there. */
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

// The account that is linked already stays theirs, also when the seed is another one now.
async function link(
  api: Api,
  headers: Record<string, string>,
  person: Person,
  user_id: string,
): Promise<Enrolled> {
  const path = `/users/${user_id}/connections`;
  const body = { provider: 'devicemaker', provider_user_id: person.account_id, scope };
  const known =
    (await linkOf(api, headers, path)) ??
    (await orTaken(api.request(Connection, 'POST', path, { headers, body }))) ??
    (await linkOf(api, headers, path));
  return {
    person: { ...person, account_id: known?.provider_user_id ?? person.account_id },
    user_id,
    linked: known?.status === 'active',
  };
}

async function linkOf(api: Api, headers: Record<string, string>, path: string) {
  const all = await api.request(z.array(Connection), 'GET', path, { headers });
  return all.find(({ provider }) => provider === 'devicemaker') ?? null;
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

/**
 * The hour of the newest heart rate in the given local days (oldest first), null where there is none. Asks day by
 * day from the newest: after a first start one question is enough.
 */
export async function newestHour(
  api: Api,
  headers: Record<string, string>,
  { person, user_id }: Enrolled,
  dates: readonly string[],
): Promise<number | null> {
  const { zone } = person.traits;
  for (const date of dates.toReversed()) {
    const query = {
      types: 'heart_rate',
      resolution: '1hour',
      start_time: formatInstant(instantOf(zone, date, 0)),
      end_time: formatInstant(instantOf(zone, date, 1440)),
      limit: '100',
    };
    const page = await api.request(Buckets, 'GET', `/users/${user_id}/timeseries`, { headers, query });
    const last = page.data.at(-1);
    if (last !== undefined) return Date.parse(last.timestamp);
  }
  return null;
}
