import { z } from 'zod';
import { type HttpRequest, ok, type Reply, type Route, refused, route, withBody } from '../server/http.ts';
import { userOfChoice } from '../server/user-choice.ts';
import { accountOf, touchRow, unlink } from './accounts.ts';
import { rowsIn } from './current-rows.ts';
import { expectedWithingsData } from './expected-data.ts';
import type { RowKind } from './rows.ts';
import type { WithingsAccount, WithingsWorld } from './state.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const kinds = ['measures', 'days', 'workouts', 'sleep'] as const satisfies readonly RowKind[];

const Change = z.strictObject({ id: z.string(), change: z.enum(['delete', 'confirm']) });

/** Actions of users at the provider's site, and the number of requests. */
export function controlRoutes(world: WithingsWorld): Route[] {
  const path = '/people/:person/withings';
  const act = (name: string, use: (account: WithingsAccount) => unknown): Route =>
    route('POST', `${path}/${name}`, (request) => withAccount(world, request, use));
  return [
    act('unlink', (account) => unlink(world, account, 'unlink')),
    act('delete', (account) => unlink(world, account, 'delete')),
    act('forget-subscriptions', (account) => forget(world, account)),
    route('POST', `${path}/rows`, (request) =>
      withBody(Change, request, (wish) =>
        withAccount(world, request, (account) => change(world, account, wish)),
      ),
    ),
    route('GET', `${path}/rows`, (request) =>
      withAccount(world, request, (account) => latest(world, account)),
    ),
    route('GET', '/ledger/withings', (request) => expected(world, request)),
    route('GET', '/ledger/withings-requests', () => ok(requestsOf(world))),
    route('GET', '/ledger/withings-clients', () => ok(Object.fromEntries(world.counts))),
  ];
}

// The rows that start at or after an instant, which the application should have.
function expected(world: WithingsWorld, { query }: HttpRequest): Reply {
  const account = accountOf(world, userOfChoice(world, query.get('person') ?? ''));
  if (account === null) return notConnected;
  return ok(expectedWithingsData(world, account, Number(query.get('from_ms') ?? 0)));
}

const notConnected = refused('This person is not connected to the maker of scales.', 404);

// Subscriptions end without a word.
function forget(world: WithingsWorld, account: WithingsAccount): void {
  account.subscriptions = [];
  world.store.save();
}

function change(world: WithingsWorld, account: WithingsAccount, wish: z.infer<typeof Change>): void {
  if (wish.change === 'delete') {
    account.deleted.push(wish.id);
    world.store.save();
  } else touchRow(world, account, wish.id);
}

function latest(world: WithingsWorld, account: WithingsAccount) {
  const endMs = world.clock.nowMs();
  return kinds.flatMap((kind) =>
    rowsIn(world, account, kind, { startMs: endMs - 14 * dayMs, endMs }).map(({ id, startMs, fields }) => ({
      id,
      kind,
      start_ms: startMs,
      attrib: fields.attrib ?? null,
    })),
  );
}

/** How many requests were sent, and the most in any minute. */
function requestsOf({ requests }: WithingsWorld) {
  let [most, first] = [0, 0];
  for (const [last, at] of requests.entries()) {
    while ((requests[first] ?? at) <= at - minuteMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return { requests: requests.length, most_in_a_minute: most };
}

async function withAccount(
  world: WithingsWorld,
  { params }: HttpRequest,
  use: (account: WithingsAccount) => unknown,
): Promise<Reply> {
  const account = accountOf(world, userOfChoice(world, params.person ?? ''));
  if (account === null) return notConnected;
  return ok((await use(account)) ?? {});
}
