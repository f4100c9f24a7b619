import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Test } from 'tap';
import { z } from 'zod';

/** An answer of the stand-in. */
export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** One person as the stand-in keeps them. */
export interface Kept {
  readonly id: string;
  readonly external_user_id: string;
  readonly name: string;
  connection: { provider: string; provider_user_id: string; status: string } | null;
  /** What is stored: `heart 1767225600` to its value, `sleep …`, `activity …` to their content. */
  readonly stored: Map<string, string>;
  /** Ends of the daily records as they came, Unix seconds. */
  readonly ends: number[];
}

/** The API in the format of its contracts, with a memory of its own. */
export interface StandIn {
  url: string;
  readonly people: Kept[];
  /** `METHOD /path` of every request, ids as `:id`. */
  readonly log: string[];
  /** Asked first with each request and how many of its kind came; null lets it through. */
  trouble: (what: string, count: number) => Answer | null;
}

interface Request {
  readonly what: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Starts a stand-in for the API on this machine; it ends with the test. */
export async function standIn(t: Test): Promise<StandIn> {
  const api: StandIn = { url: '', people: [], log: [], trouble: () => null };
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    api.log.push(request.what);
    const count = api.log.filter((one) => one === request.what).length;
    const answer = api.trouble(request.what, count) ?? answerTo(api, request);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? { detail: 'No.' }));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  api.url = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
  return api;
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const chunks: string[] = [];
  for await (const chunk of incoming.setEncoding('utf8')) chunks.push(chunk);
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stand-in');
  const path = pathname.replace('/api/v1', '');
  return {
    what: `${incoming.method} ${path.replace(/person-\d+/, ':id')}`,
    path,
    query: searchParams,
    headers: incoming.headers,
    body: chunks.length === 0 ? null : JSON.parse(chunks.join('')),
  };
}

function answerTo(api: StandIn, request: Request): Answer {
  if (request.what === 'POST /webhooks/devicemaker/push')
    return request.headers['devicemaker-client-id'] === 'the-client' ? push(api, request) : { status: 401 };
  if (request.headers['x-api-key'] !== 'the-key') return { status: 401 };
  if (request.what === 'GET /users') return list(api, request);
  if (request.what === 'POST /users') return create(api, request);
  const person = api.people.find(({ id }) => request.path.startsWith(`/users/${id}/`));
  if (person === undefined) return { status: 404 };
  if (request.what === 'GET /users/:id/connections')
    return { status: 200, body: person.connection === null ? [] : [person.connection] };
  if (request.what === 'POST /users/:id/connections') return connect(person, request);
  return request.what === 'GET /users/:id/timeseries' ? hours(person, request) : { status: 404 };
}

function list({ people }: StandIn, { query }: Request): Answer {
  const items = people.filter((one) => one.external_user_id === query.get('external_user_id'));
  return { status: 200, body: { items, total: items.length, page: 1, limit: 2, pages: 1 } };
}

const NewUser = z.object({ external_user_id: z.string(), first_name: z.string(), last_name: z.string() });

function create({ people }: StandIn, { body }: Request): Answer {
  const { external_user_id, first_name, last_name } = NewUser.parse(body);
  if (people.some((one) => one.external_user_id === external_user_id)) return { status: 409 };
  const id = `person-${people.length + 1}`;
  const name = `${first_name} ${last_name}`;
  const person: Kept = { id, external_user_id, name, connection: null, stored: new Map(), ends: [] };
  people.push(person);
  return { status: 201, body: { id, external_user_id } };
}

const Link = z.object({ provider: z.literal('devicemaker'), provider_user_id: z.string() });

function connect(person: Kept, { body }: Request): Answer {
  if (person.connection !== null) return { status: 409 };
  person.connection = { ...Link.parse(body), status: 'active' };
  return { status: 201, body: person.connection };
}

/** Whole hours that have a heart rate, as the API's 1hour buckets: the range is widened to whole hours. */
function hours(person: Kept, { query }: Request): Answer {
  const from = Math.floor(Date.parse(query.get('start_time') ?? '') / 3_600_000);
  const to = Math.ceil(Date.parse(query.get('end_time') ?? '') / 3_600_000);
  const known = [...person.stored.keys()]
    .filter((key) => key.startsWith('heart '))
    .map((key) => Math.floor(Number(key.slice(6)) / 3600))
    .filter((hour) => hour >= from && hour < to);
  const data = [...new Set(known)]
    .sort((a, b) => a - b)
    .map((hour) => ({ timestamp: new Date(hour * 3_600_000).toISOString() }));
  return { status: 200, body: { data } };
}

const Values = z.record(z.string(), z.number());
const Item = z.looseObject({ userId: z.string(), startTimeInSeconds: z.int() });
const Push = z.object({
  dailies: z
    .array(Item.extend({ durationInSeconds: z.int(), timeOffsetHeartRateSamples: Values.default({}) }))
    .default([]),
  sleeps: z
    .array(Item.extend({ timeOffsetSleepSpo2: Values, timeOffsetSleepRespiration: Values }))
    .default([]),
  activities: z.array(Item.extend({ activityId: z.int() })).default([]),
});

function push({ people }: StandIn, { body }: Request): Answer {
  const { dailies, sleeps, activities } = Push.parse(body);
  const ownerOf = ({ userId }: { userId: string }) =>
    people.find(({ connection }) => connection?.provider_user_id === userId);
  for (const item of dailies) {
    const owner = ownerOf(item);
    keep(owner, 'heart', item.startTimeInSeconds, item.timeOffsetHeartRateSamples);
    keep(owner, 'rest', item.startTimeInSeconds, { 0: Number(item.restingHeartRateInBeatsPerMinute) });
    owner?.ends.push(item.startTimeInSeconds + item.durationInSeconds);
  }
  for (const item of sleeps) {
    keep(ownerOf(item), 'oxygen', item.startTimeInSeconds, item.timeOffsetSleepSpo2);
    keep(ownerOf(item), 'breath', item.startTimeInSeconds, item.timeOffsetSleepRespiration);
    ownerOf(item)?.stored.set(`sleep ${item.calendarDate}`, JSON.stringify(item));
  }
  for (const item of activities)
    ownerOf(item)?.stored.set(`activity ${item.activityId}`, JSON.stringify(item));
  return { status: 200, body: pushAnswer(activities.map(() => 'saved')) };
}

function keep(owner: Kept | undefined, kind: string, start: number, values: Record<string, number>): void {
  for (const [offset, value] of Object.entries(values))
    owner?.stored.set(`${kind} ${start + Number(offset)}`, String(value));
}

/** The body of an answer to a push. */
export function pushAnswer(statuses: readonly string[], errors: readonly string[] = []) {
  const activities = statuses.map((status) => ({ activity_id: '1', record_ids: [], status }));
  return { processed: statuses.length, saved: 0, errors, activities, wellness: {}, backfill_chained: [] };
}
