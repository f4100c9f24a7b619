import type { Ask, Route } from '../http.ts';
import { asOwner, deregister } from './accounts.ts';
import type { DevicemakerWorld } from './state.ts';

/** What an application may ask about the account behind a token, and its farewell. */
export function devicemakerAccountApi(world: DevicemakerWorld): Route[] {
  const path = '/devicemaker/rest/user';
  return [
    {
      method: 'GET',
      path: `${path}/id`,
      faults: 'api',
      handle: (ask: Ask) =>
        asOwner(world, ask, ({ account_id }) => ({ status: 200, json: { userId: account_id } })),
    },
    {
      method: 'GET',
      path: `${path}/permissions`,
      faults: 'api',
      handle: (ask: Ask) => asOwner(world, ask, ({ permissions }) => ({ status: 200, json: permissions })),
    },
    {
      method: 'DELETE',
      path: `${path}/registration`,
      faults: 'api',
      handle: (ask: Ask) =>
        asOwner(world, ask, (account) => {
          deregister(world, account);
          return { status: 204 };
        }),
    },
  ];
}
