import { z } from 'zod';
import { deauthorize } from './activitynet/accounts.ts';
import { activitiesOf } from './activitynet/api.ts';
import { remove, rename, restore } from './activitynet/events.ts';
import { accountOf, changePermissions, deregister } from './devicemaker/accounts.ts';
import { permissions } from './devicemaker/portions.ts';
import { type Ask, ok, type Reply, type Route, refused, withBody } from './http.ts';
import { personOfChoice } from './person-choice.ts';
import type { ActivitynetAccount, DevicemakerAccount } from './store.ts';
import type { World } from './world.ts';

const Permissions = z.strictObject({ permissions: z.array(z.enum(permissions)) });
const Change = z.strictObject({
  id: z.int(),
  change: z.enum(['title', 'delete', 'restore']),
  title: z.string().min(1).max(200).default('Another title'),
});

/** What people do at the providers' own sites: leave, allow less, rename, take away and bring back. */
export function decisionRoutes(world: World): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({
    method: 'POST',
    path: `/people/:person${path}`,
    handle,
  });
  return [
    post('/deregister', (ask) => asWearer(world, ask, (account) => deregister(world, account))),
    post('/permissions', (ask) =>
      withBody(Permissions, ask, (wish) =>
        asWearer(world, ask, (account) => changePermissions(world, account, wish.permissions)),
      ),
    ),
    post('/deauthorize', (ask) => asAthlete(world, ask, (account) => deauthorize(world, account))),
    post('/activities', (ask) =>
      withBody(Change, ask, (wish) => asAthlete(world, ask, (account) => change(world, account, wish))),
    ),
    {
      method: 'GET',
      path: '/people/:person/activities',
      handle: (ask) => asAthlete(world, ask, (account) => latest(world, account)),
    },
  ];
}

function change(
  world: World,
  account: ActivitynetAccount,
  { id, change, title }: z.infer<typeof Change>,
): void {
  if (change === 'title') rename(world, account, id, title);
  else if (change === 'delete') remove(world, account, id);
  else restore(world, account, id);
  world.store.save();
}

const shownMost = 200;

function latest(world: World, account: ActivitynetAccount): { id: number; start_time: string }[] {
  return activitiesOf(world, account, 0, world.clock.nowMs())
    .slice(-shownMost)
    .map(({ id, startMs }) => ({ id, start_time: new Date(startMs).toISOString() }));
}

function asWearer(world: World, { params }: Ask, decide: (account: DevicemakerAccount) => unknown): Reply {
  const index = personOfChoice(world, params.person ?? '');
  const account = index === null ? null : accountOf(world, world.person(index).account_id);
  if (account === null) return refused('This person is not connected to the device maker.', 404);
  return ok(decide(account) ?? {});
}

function asAthlete(world: World, { params }: Ask, decide: (account: ActivitynetAccount) => unknown): Reply {
  const index = personOfChoice(world, params.person ?? '');
  const account = world.store.book.activitynet_accounts.find(({ person }) => person === index);
  if (account === undefined) return refused('This person is not connected to the activity platform.', 404);
  return ok(decide(account) ?? {});
}
