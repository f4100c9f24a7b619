import { z } from 'zod';
import { keepAlive, type RawAnswer, send } from './http.ts';
import { seeded } from './random.ts';
import { type ApiData, type Mutant, mutant } from './requests.ts';

/** What mutated requests brought to light. */
export interface Findings {
  readonly sent: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What no caller should see: 500 and other failures of ours, answers that are no JSON, dead connections. */
  readonly wrong: readonly Wrong[];
  readonly wrongCount: number;
}

/** One bad answer, with what it takes to get it again. */
interface Wrong {
  readonly route: string;
  readonly why: string;
  readonly request: { readonly method: string; readonly path: string; readonly body: string };
}

/** How much is sent, and how; the same seed makes the same first requests. */
export interface FuzzChoice {
  readonly count: number;
  readonly seed: number;
  readonly parallel: number;
}

const mostKept = 200;
const healEvery = 300;

/** Sends mutated requests over all routes. */
export async function fuzz(world: ApiData, { count, seed, parallel }: FuzzChoice): Promise<Findings> {
  const random = seeded(seed);
  const agent = keepAlive(parallel);
  const statuses: Record<string, number> = {};
  const wrong: Wrong[] = [];
  let sent = 0;
  let wrongCount = 0;
  const one = async () => {
    const request = mutant(world, random);
    const { status, why } = await tried(world, agent, request);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (why === null) return;
    wrongCount += 1;
    if (wrong.length < mostKept) wrong.push(wrongOf(request, why));
  };
  const lane = async () => {
    while (sent < count) {
      sent += 1;
      if (sent % healEvery === 0) await world.heal();
      await one();
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  agent.destroy();
  return { sent, statuses, wrong, wrongCount };
}

async function tried(world: ApiData, agent: ReturnType<typeof keepAlive>, request: Mutant) {
  try {
    const answer = await send(agent, request);
    learn(world, answer.text);
    return { status: answer.status, why: faultOf(request, answer) };
  } catch (error) {
    // The client refuses what no HTTP can say; that never left.
    const code: unknown = Reflect.get(Object(error), 'code');
    const unsendable = typeof code === 'string' && code.startsWith('ERR_');
    return { status: String(code), why: unsendable ? null : `no answer: ${String(error)}` };
  }
}

const uploads: readonly string[] = ['POST /sdk/users/:user_id/sync', 'POST /sdk/users/:user_id/logs'];

function faultOf({ method, route }: Mutant, { status, headers, text }: RawAnswer): string | null {
  // The senders of uploads take other answers as final.
  const isPutOff = status === 503 && uploads.includes(route) && headers['retry-after'] !== undefined;
  if (status >= 500 && status !== 501 && !isPutOff) return `${status} ${text.slice(0, 200)}`;
  if (headers['x-request-id'] === undefined) return 'no X-Request-Id';
  if (method === 'HEAD' || status === 204 || status === 303) return null;
  if (String(headers['content-type']).startsWith('text/html') && route.includes('/connect/')) return null;
  if (String(headers['content-type']).includes('ndjson')) return null;
  if (route.endsWith('/download') && status === 200 && String(headers['content-type']).startsWith('text/csv'))
    return text.startsWith('timestamp,') ? null : `a table without its columns: ${text.slice(0, 100)}`;
  return isJson(text, status, route.includes(' /fhir/'))
    ? null
    : `${status} with a body that is no ${status < 400 ? 'JSON' : 'error'}: ${text.slice(0, 100)}`;
}

function isJson(text: string, status: number, isFhir: boolean): boolean {
  try {
    const body: unknown = JSON.parse(text);
    if (status < 400) return true;
    if (isFhir && Reflect.get(Object(body), 'resourceType') === 'OperationOutcome') return true;
    return typeof Reflect.get(Object(body), 'detail') === 'string';
  } catch {
    return false;
  }
}

function wrongOf({ route, method, path, body }: Mutant, why: string): Wrong {
  return {
    route,
    why,
    request: { method, path: path.slice(0, 500), body: String(body ?? '').slice(0, 1500) },
  };
}

const Learnable = z.object({
  next_cursor: z.string().nullish(),
  previous_cursor: z.string().nullish(),
  id: z.string().nullish(),
});
const mostLearned = 50;

// Cursors that were given out are asked for again, changed; so are ids.
function learn({ known }: ApiData, text: string): void {
  if (!text.includes('_cursor')) return;
  try {
    const body = JSON.parse(text);
    const { next_cursor, previous_cursor } = Learnable.parse(body.pagination ?? body);
    const cursors = known.get('cursor') ?? [];
    for (const cursor of [next_cursor, previous_cursor]) if (cursor) cursors.unshift(cursor);
    known.set('cursor', cursors.slice(0, mostLearned));
  } catch {
    // not a page
  }
}
