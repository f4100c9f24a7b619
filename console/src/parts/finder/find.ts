import { api } from '../../api.ts';
import { placeOf } from '../../destination-texts.ts';
import { behindSeconds, waitingText } from '../../endpoint-texts.ts';
import { can } from '../../session.ts';
import { userName } from '../person/user-name.ts';
import { shownPlaces } from './places.ts';

/** Something that the search leads to: its name, its kind, and its path below the console. */
export interface Found {
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

const mostOfKind = 6;
/** The users that the first of several words finds. */
const mostOfWord = 100;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a text finds: pages and actions first, then users, endpoints, destinations and keys by their names, and objects by their ids. */
export async function find(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const words = text.toLowerCase();
  const isNamed = (name: string | null) => name?.toLowerCase().includes(words) === true;
  const places = shownPlaces().filter(({ name, other = '' }) => isNamed(`${name} ${other}`));
  if (text === '') return places;
  const kinds = await Promise.allSettled([
    usersBy(text, signal),
    endpointsBy(isNamed, signal),
    destinationsBy(isNamed, signal),
    keysBy(isNamed, signal),
  ]);
  const found = kinds.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value.slice(0, mostOfKind) : []));
  return [...places, ...found, ...objectsBy(text)];
}

// The API looks for one text in each field: a first and a last name are two.
async function usersBy(text: string, signal: AbortSignal): Promise<Found[]> {
  if (!can('users.list')) return [];
  const [search = '', ...others] = text.toLowerCase().split(/\s+/);
  const limit = others.length === 0 ? mostOfKind : mostOfWord;
  const { items } = await api.users.list({ search, limit }, { signal });
  return items
    .map((user) => ({ name: userName(user), kind: 'User', to: `/users/${user.id}` }))
    .filter(({ name }) => others.every((word) => name.toLowerCase().includes(word)));
}

async function endpointsBy(isNamed: (name: string | null) => boolean, signal: AbortSignal): Promise<Found[]> {
  if (!can('webhooks.read')) return [];
  const endpoints = await api.webhooks.listEndpoints({ signal });
  return endpoints
    .filter(({ url, description }) => isNamed(`${url} ${description}`))
    .toSorted((one, other) => behindSeconds(other) - behindSeconds(one))
    .map((one) => ({
      name: one.url,
      kind: ['Webhook endpoint', waitingText(one)].filter((text) => text !== null).join(', '),
      to: `/webhooks/${one.id}`,
    }));
}

async function destinationsBy(
  isNamed: (name: string | null) => boolean,
  signal: AbortSignal,
): Promise<Found[]> {
  if (!can('destinations.read')) return [];
  const all = await api.destinations.list({ signal });
  return all
    .filter((one) => isNamed(`${placeOf(one)} ${one.description}`))
    .map((one) => ({ name: placeOf(one), kind: 'Destination', to: `/destinations/${one.id}` }));
}

async function keysBy(isNamed: (name: string | null) => boolean, signal: AbortSignal): Promise<Found[]> {
  if (!can('credentials')) return [];
  const keys = await api.auth.listKeys({ signal });
  return keys
    .filter(({ name }) => isNamed(name))
    .map(({ id, name }) => ({ name, kind: 'API key', to: `/developers?key=${id}` }));
}

// An id does not say of what it is.
function objectsBy(text: string): Found[] {
  if (!uuid.test(text)) return [];
  const id = text.toLowerCase();
  return [
    { name: id, kind: 'User with this id', to: `/users/${id}` },
    ...(can('deliveries.read') ? [{ name: id, kind: 'Delivery with this id', to: `/deliveries/${id}` }] : []),
  ];
}
