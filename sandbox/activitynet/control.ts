import { z } from 'zod';
import { isoTime } from '../../domain/time/time.ts';
import { type HttpRequest, ok, type Reply, type Route, refused, route, withBody } from '../server/http.ts';
import { answerForUser, userOfChoice } from '../server/user-choice.ts';
import { accountOf, deauthorize } from './accounts.ts';
import { activitiesOf } from './api.ts';
import { remove, rename, restore } from './events.ts';
import { currentActivities } from './expected-data.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';

const Change = z.strictObject({
  id: z.int(),
  change: z.enum(['title', 'delete', 'restore']),
  title: z.string().min(1).max(200).default('Another title'),
});

/** Actions of users at the provider's site (deauthorize, rename, delete, restore), and the current activities. */
export function controlRoutes(world: ActivitynetWorld): Route[] {
  const path = '/people/:person';
  return [
    route('POST', `${path}/deauthorize`, (request) =>
      withAccount(world, request, (account) => deauthorize(world, account)),
    ),
    route('POST', `${path}/activities`, (request) =>
      withBody(Change, request, (wish) =>
        withAccount(world, request, (account) => change(world, account, wish)),
      ),
    ),
    route('GET', `${path}/activities`, (request) =>
      withAccount(world, request, (account) => latest(world, account)),
    ),
    route('GET', '/ledger/activities', ({ query }) =>
      answerForUser(world, query.get('person'), (index) => {
        const account = accountOf(world, index);
        return account === null ? [] : currentActivities(world, account);
      }),
    ),
  ];
}

function change(
  world: ActivitynetWorld,
  account: ActivitynetAccount,
  { id, change, title }: z.infer<typeof Change>,
): void {
  if (change === 'title') rename(world, account, id, title);
  else if (change === 'delete') remove(world, account, id);
  else restore(world, account, id);
  world.store.save();
}

const shownMost = 200;

function latest(world: ActivitynetWorld, account: ActivitynetAccount): { id: number; start_time: string }[] {
  return activitiesOf(world, account, 0, world.clock.nowMs())
    .slice(-shownMost)
    .map(({ id, startMs }) => ({ id, start_time: isoTime(startMs) }));
}

function withAccount(
  world: ActivitynetWorld,
  { params }: HttpRequest,
  use: (account: ActivitynetAccount) => unknown,
): Reply {
  const account = accountOf(world, userOfChoice(world, params.person ?? ''));
  if (account === null) return refused('This person is not connected to Strava.', 404);
  return ok(use(account) ?? {});
}
