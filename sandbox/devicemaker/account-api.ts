import { ok, type Reply, type Route, route } from '../http.ts';
import { asOwner, deregister } from './accounts.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

/** Reads the account of a token, and ends its registration. */
export function devicemakerAccountApi(world: DevicemakerWorld): Route[] {
  const path = '/devicemaker/rest/user';
  const owned = (method: Route['method'], name: string, serve: (account: DevicemakerAccount) => Reply) =>
    route(method, `${path}/${name}`, (ask) => asOwner(world, ask, serve), 'api');
  return [
    owned('GET', 'id', ({ account_id }) => ok({ userId: account_id })),
    owned('GET', 'permissions', ({ permissions }) => ok(permissions)),
    owned('DELETE', 'registration', (account) => {
      deregister(world, account);
      return { status: 204 };
    }),
  ];
}
