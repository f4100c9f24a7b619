import { z } from 'zod';
import { type SimulatedProvider, simulations } from '../all.ts';
import { simulatedUserAt } from '../simulation/simulated-users.ts';
import { type Api, ApiFailed } from './api.ts';
import { ensureUser, type NewUser } from './ensure-user.ts';
import { mapConcurrently } from './map-concurrently.ts';

/** What connecting users depends on: the API and the sandbox. */
export interface ConnectDeps {
  readonly api: Api;
  readonly apiKey: string;
  readonly sandboxUrl: string;
  readonly seed: string;
  /** The indexes of the users to connect. */
  readonly who: readonly number[];
  /** Only accounts at these providers are connected. Omitted: all. */
  readonly providers?: readonly SimulatedProvider[];
  readonly fetch: typeof fetch;
  /** Receives why an account could not be connected; the others are connected. Omitted: the first failure is thrown. */
  onFailed?(failure: unknown): void;
}

/** A connected account of a user. */
export interface ConnectedAccount {
  readonly user_id: string;
  readonly provider: SimulatedProvider;
  readonly title: string;
}

const Connection = z.object({ provider: z.string(), status: z.string() });
const Link = z.object({ authorization_url: z.string() });
const PageLink = z.object({ url: z.string() });
const Known = z.array(z.looseObject({ person: z.int() }));
const Linked = z.object({ connected: z.literal(true) });

/**
 * Connects users to their providers as a browser would: link, consent page, callback. An active connection is kept. A
 * connection that was ended stays ended.
 */
export async function connectUsers(choice: ConnectDeps): Promise<ConnectedAccount[]> {
  const people = await choice.fetch(`${choice.sandboxUrl}/people`);
  if (!people.ok) throw new Error(`The sandbox answered ${people.status} to /people.`);
  const known = Known.parse(await people.json());
  const isKnown = (index: number, provider: SimulatedProvider) =>
    Linked.safeParse(known.find(({ person }) => person === index + 1)?.[provider]).success;
  const all = await mapConcurrently(choice.who, (index) =>
    connectUser(choice, index, (provider) => isKnown(index, provider)),
  );
  return all.flat();
}

async function connectUser(
  choice: ConnectDeps,
  index: number,
  isKnown: (provider: SimulatedProvider) => boolean,
): Promise<ConnectedAccount[]> {
  const { api } = choice;
  const user = simulatedUserAt(choice.seed, index);
  const headers = { 'x-api-key': choice.apiKey };
  const [first_name, last_name] = user.traits.title;
  const { external_user_id } = user;
  const user_id = await ensureUser(api, headers, { external_user_id, first_name, last_name });
  const connections = await api.request(z.array(Connection), 'GET', `/users/${user_id}/connections`, {
    headers,
  });
  const connected: ConnectedAccount[] = [];
  const isChosen = ({ name }: { readonly name: SimulatedProvider }) =>
    choice.providers?.includes(name) ?? true;
  for (const { name: provider } of simulations.filter(
    (one) => one.hasAccount(user.traits) && isChosen(one),
  )) {
    const status = connections.find((one) => one.provider === provider)?.status ?? 'none';
    const isWanted = status === 'none' || (status === 'active' && !isKnown(provider));
    const isConnected = isWanted
      ? await connectNow(choice, user_id, provider, String(index + 1))
      : status === 'active';
    if (isConnected) connected.push({ user_id, provider, title: `${first_name} ${last_name}` });
  }
  return connected;
}

async function connectNow(
  choice: ConnectDeps,
  user_id: string,
  provider: SimulatedProvider,
  user: string,
): Promise<boolean> {
  try {
    await consent(choice, user_id, provider, user);
    return true;
  } catch (error) {
    if (choice.onFailed === undefined) throw error;
    choice.onFailed(error);
    return false;
  }
}

/** Submits the consent page with all permissions. @throws Error if no connection results */
async function consent(
  choice: ConnectDeps,
  user_id: string,
  provider: SimulatedProvider,
  user: string,
): Promise<void> {
  const link = await linkFor(choice, user_id, provider);
  const page = await choice.fetch(link);
  if (!page.ok) throw new Error(`The consent page of ${provider} answered ${page.status}.`);
  const fields = fieldsOf(await page.text());
  fields.set('person', user);
  fields.set('decision', 'allow');
  const decided = await choice.fetch(link, { method: 'POST', body: fields, redirect: 'manual' });
  const callback = decided.headers.get('location');
  if (callback === null) throw new Error(`The consent page of ${provider} answered ${decided.status}.`);
  const landed = await choice.fetch(callback, { redirect: 'manual' });
  const result = URL.parse(landed.headers.get('location') ?? '', callback);
  const status = result?.searchParams.get('status') ?? `status ${landed.status}`;
  if (status === 'connected') return;
  const reason = result?.searchParams.get('reason') ?? 'no reason';
  throw new Error(`Connecting to ${provider} ended as ${status} (${reason}).`);
}

/** The fields of a consent page as a browser would send them, with all boxes checked. */
export function fieldsOf(page: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of page.matchAll(
    /<input type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"/g,
  ))
    fields.append(plain(name), plain(value));
  return fields;
}

function plain(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

async function linkFor(
  { api, apiKey }: ConnectDeps,
  user_id: string,
  provider: SimulatedProvider,
): Promise<string> {
  const request = { headers: { 'x-api-key': apiKey }, query: { user_id } };
  const { authorization_url } = await api.request(Link, 'GET', `/connect/${provider}/authorize`, request);
  return authorization_url;
}

const visitor: NewUser = { external_user_id: 'sandbox-visitor', first_name: 'Sandbox', last_name: 'Visitor' };

/** A link to the connect page, where a visitor connects one more user to any provider. The API sets its expiry. */
export async function visitorLink({ api, apiKey }: ConnectDeps): Promise<{ user_id: string; url: string }> {
  const headers = { 'x-api-key': apiKey };
  const user_id = await ensureUser(api, headers, visitor);
  const { url } = await api.request(PageLink, 'POST', '/connect/sessions', { headers, body: { user_id } });
  return { user_id, url };
}

const Backfill = z.object({
  status: z.string(),
  types: z.array(z.object({ requests: z.int(), requests_done: z.int(), items: z.int() })),
});

/** The progress of backfills. */
export interface BackfillProgress {
  readonly running: number;
  readonly requests: number;
  readonly done: number;
  readonly items: number;
}

/** Reads the progress of backfills. A connection without a backfill counts as done. */
export async function backfillProgress(
  { api, apiKey }: Pick<ConnectDeps, 'api' | 'apiKey'>,
  connections: readonly ConnectedAccount[],
): Promise<BackfillProgress> {
  const all = await mapConcurrently(connections, ({ user_id, provider }) =>
    orMissing(
      api.request(Backfill, 'GET', `/users/${user_id}/connections/${provider}/backfill`, {
        headers: { 'x-api-key': apiKey },
      }),
    ),
  );
  const known = all.filter((one) => one !== null);
  const types = known.flatMap((one) => one.types);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    running: known.filter(({ status }) => status === 'running').length,
    requests: sum(types.map(({ requests }) => requests)),
    done: sum(types.map(({ requests_done }) => requests_done)),
    items: sum(types.map(({ items }) => items)),
  };
}

async function orMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiFailed && (error.status === 404 || error.status === 501)) return null;
    throw error;
  }
}
