import { z } from 'zod';
import { type Ask, ok, type Reply, type Route, refused, route, withBody } from '../http.ts';
import { ofPerson, personOfChoice } from '../person-choice.ts';
import { accountOf, changePermissions, deregister } from './accounts.ts';
import { dataTypes } from './payloads.ts';
import { permissions } from './portions.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';
import { itemsSent } from './truth.ts';

const Permissions = z.strictObject({ permissions: z.array(z.enum(permissions)) });

/** What people do at the provider's site (deregister, grant less), and the items that an application should have. */
export function controlRoutes(world: DevicemakerWorld): Route[] {
  const person = '/people/:person';
  return [
    route('POST', `${person}/deregister`, (ask) =>
      withAccount(world, ask, (account) => deregister(world, account)),
    ),
    route('POST', `${person}/permissions`, (ask) =>
      withBody(Permissions, ask, (wish) =>
        withAccount(world, ask, (account) => changePermissions(world, account, wish.permissions)),
      ),
    ),
    route('GET', '/ledger/items', (ask) => items(world, ask)),
  ];
}

function withAccount(
  world: DevicemakerWorld,
  { params }: Ask,
  use: (account: DevicemakerAccount) => unknown,
): Reply {
  const index = personOfChoice(world, params.person ?? '');
  const account = index === null ? null : accountOf(world, world.person(index).account_id);
  if (account === null) return refused('This person is not connected to the device maker.', 404);
  return ok(use(account) ?? {});
}

function items(world: DevicemakerWorld, { query }: Ask): Reply {
  const type = dataTypes.find((one) => one === query.get('type'));
  if (type === undefined) return refused(`type: must be one of ${dataTypes.join(', ')}`);
  return ofPerson(world, query.get('person'), (index) => {
    const account = accountOf(world, world.person(index).account_id);
    return account === null ? [] : itemsSent(world, account, type);
  });
}
