import { z } from 'zod';
import { isoTime } from '../../domain/time.ts';
import { type Ask, ok, type Reply, type Route, refused, route, withBody } from '../http.ts';
import { ofPerson, personOfChoice } from '../person-choice.ts';
import { accountOf, deauthorize } from './accounts.ts';
import { activitiesOf } from './api.ts';
import { remove, rename, restore } from './events.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';
import { currentActivities } from './truth.ts';

const Change = z.strictObject({
  id: z.int(),
  change: z.enum(['title', 'delete', 'restore']),
  title: z.string().min(1).max(200).default('Another title'),
});

/** What people do at the provider's site (leave, rename, delete, restore), and the activities as they are now. */
export function controlRoutes(world: ActivitynetWorld): Route[] {
  const person = '/people/:person';
  return [
    route('POST', `${person}/deauthorize`, (ask) =>
      withAccount(world, ask, (account) => deauthorize(world, account)),
    ),
    route('POST', `${person}/activities`, (ask) =>
      withBody(Change, ask, (wish) => withAccount(world, ask, (account) => change(world, account, wish))),
    ),
    route('GET', `${person}/activities`, (ask) =>
      withAccount(world, ask, (account) => latest(world, account)),
    ),
    route('GET', '/ledger/activities', ({ query }) =>
      ofPerson(world, query.get('person'), (index) => {
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
  { params }: Ask,
  use: (account: ActivitynetAccount) => unknown,
): Reply {
  const account = accountOf(world, personOfChoice(world, params.person ?? ''));
  if (account === null) return refused('This person is not connected to the activity platform.', 404);
  return ok(use(account) ?? {});
}
