import { z } from 'zod';
import { type HttpRequest, ok, type Reply, type Route, refused, route, withBody } from '../server/http.ts';
import { answerForUser, userOfChoice } from '../server/user-choice.ts';
import { accountOf, changePermissions, deregister } from './accounts.ts';
import { itemsSent } from './expected-data.ts';
import { permissions } from './notification-parts.ts';
import { dataTypes } from './payloads.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

const Permissions = z.strictObject({ permissions: z.array(z.enum(permissions)) });

/** Actions of users at the provider's site (deregister, change permissions), and the items that an application should have. */
export function controlRoutes(world: DevicemakerWorld): Route[] {
  const path = '/people/:person';
  return [
    route('POST', `${path}/deregister`, (request) =>
      withAccount(world, request, (account) => deregister(world, account)),
    ),
    route('POST', `${path}/permissions`, (request) =>
      withBody(Permissions, request, (wish) =>
        withAccount(world, request, (account) => changePermissions(world, account, wish.permissions)),
      ),
    ),
    route('GET', '/ledger/items', (request) => items(world, request)),
  ];
}

function withAccount(
  world: DevicemakerWorld,
  { params }: HttpRequest,
  use: (account: DevicemakerAccount) => unknown,
): Reply {
  const index = userOfChoice(world, params.person ?? '');
  const account = index === null ? null : accountOf(world, world.user(index).account_id);
  if (account === null) return refused('This person is not connected to Garmin.', 404);
  return ok(use(account) ?? {});
}

function items(world: DevicemakerWorld, { query }: HttpRequest): Reply {
  const type = dataTypes.find((one) => one === query.get('type'));
  if (type === undefined) return refused(`type: must be one of ${dataTypes.join(', ')}`);
  return answerForUser(world, query.get('person'), (index) => {
    const account = accountOf(world, world.user(index).account_id);
    return account === null ? [] : itemsSent(world, account, type);
  });
}
