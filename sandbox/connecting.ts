import { z } from 'zod';
import { type SimulatedProvider, simulations } from './all.ts';
import { type Api, ApiFailed } from './api.ts';
import { ensureUser, type NewUser } from './enrolment.ts';
import { inLanes } from './lanes.ts';
import { personAt } from './people.ts';

/** What connecting people depends on: the API as an application sees it, and where the sandbox is. */
export interface Connecting {
  readonly api: Api;
  readonly apiKey: string;
  readonly sandboxUrl: string;
  readonly seed: string;
  /** The indexes of the people to connect. */
  readonly who: readonly number[];
  readonly fetch: typeof fetch;
}

/** A person's account at a provider, as the API has it now. */
export interface Connected {
  readonly user_id: string;
  readonly provider: SimulatedProvider;
  readonly title: string;
}

const Connection = z.object({ provider: z.string(), status: z.string() });
const Link = z.object({ authorization_url: z.string() });
const Known = z.array(z.looseObject({ person: z.int() }));
const Linked = z.object({ connected: z.literal(true) });

/**
 * Connects people to their providers as a browser would: link, consent page, callback. A connection that is active
 * stays, and one that was ended stays ended: somebody wanted that.
 */
export async function connectPeople(choice: Connecting): Promise<Connected[]> {
  const known = Known.parse(await (await choice.fetch(`${choice.sandboxUrl}/people`)).json());
  const isKnown = (index: number, provider: SimulatedProvider) =>
    Linked.safeParse(known.find(({ person }) => person === index + 1)?.[provider]).success;
  const all = await inLanes(choice.who, (index) =>
    connectPerson(choice, index, (provider) => isKnown(index, provider)),
  );
  return all.flat();
}

async function connectPerson(
  choice: Connecting,
  index: number,
  isKnown: (provider: SimulatedProvider) => boolean,
): Promise<Connected[]> {
  const { api } = choice;
  const person = personAt(choice.seed, index);
  const headers = { 'x-api-key': choice.apiKey };
  const [first_name, last_name] = person.traits.title;
  const { external_user_id } = person;
  const user_id = await ensureUser(api, headers, { external_user_id, first_name, last_name });
  const connections = await api.request(z.array(Connection), 'GET', `/users/${user_id}/connections`, {
    headers,
  });
  const connected: Connected[] = [];
  for (const { name: provider } of simulations.filter((one) => one.hasAccount(person.traits))) {
    const status = connections.find((one) => one.provider === provider)?.status ?? 'none';
    const isWanted = status === 'none' || (status === 'active' && !isKnown(provider));
    if (isWanted) await consent(choice, user_id, provider, String(index + 1));
    if (isWanted || status === 'active')
      connected.push({ user_id, provider, title: `${first_name} ${last_name}` });
  }
  return connected;
}

/** Submits the consent page with all permissions. @throws Error where that does not end in a connection. */
async function consent(
  choice: Connecting,
  user_id: string,
  provider: SimulatedProvider,
  person: string,
): Promise<void> {
  const link = await linkFor(choice, user_id, provider);
  const page = await choice.fetch(link);
  const fields = fieldsOf(await page.text());
  fields.set('person', person);
  fields.set('decision', 'allow');
  const decided = await choice.fetch(link, { method: 'POST', body: fields, redirect: 'manual' });
  const callback = decided.headers.get('location');
  if (callback === null) throw new Error(`The consent page of ${provider} answered ${decided.status}.`);
  const landed = await choice.fetch(callback, { redirect: 'manual' });
  const result = URL.parse(landed.headers.get('location') ?? '', callback);
  const status = result?.searchParams.get('status') ?? `status ${landed.status}`;
  if (status !== 'connected')
    throw new Error(
      `Connecting to ${provider} ended as ${status} (${result?.searchParams.get('reason') ?? 'no reason'}).`,
    );
}

/** The fields of a consent page as a browser would send them, with all boxes checked. */
function fieldsOf(page: string): URLSearchParams {
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
  { api, apiKey }: Connecting,
  user_id: string,
  provider: SimulatedProvider,
): Promise<string> {
  const ask = { headers: { 'x-api-key': apiKey }, query: { user_id } };
  const { authorization_url } = await api.request(Link, 'GET', `/connect/${provider}/authorize`, ask);
  return authorization_url;
}

const visitor: NewUser = { external_user_id: 'sandbox-visitor', first_name: 'Sandbox', last_name: 'Visitor' };

/** A link to connect one more person by hand to the first provider. It expires when the API says. */
export async function visitorsLink(choice: Connecting): Promise<{ user_id: string; url: string }> {
  const user_id = await ensureUser(choice.api, { 'x-api-key': choice.apiKey }, visitor);
  return { user_id, url: await linkFor(choice, user_id, simulations[0].name) };
}

const Backfill = z.object({
  status: z.string(),
  types: z.array(z.object({ requests: z.int(), requests_done: z.int(), items: z.int() })),
});

/** How far the backfill of some connections is. */
export interface HistoryProgress {
  readonly running: number;
  readonly requests: number;
  readonly done: number;
  readonly items: number;
}

/** Reads how far backfills are. A connection without a backfill counts as done. */
export async function historyProgress(
  { api, apiKey }: Pick<Connecting, 'api' | 'apiKey'>,
  connections: readonly Connected[],
): Promise<HistoryProgress> {
  const all = await inLanes(connections, ({ user_id, provider }) =>
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
