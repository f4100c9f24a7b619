import { ok, type Reply, type Route, route } from '../server/http.ts';
import { asOwner, deregister } from './accounts.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

/** The routes that return the account of a token and end its registration. */
export function devicemakerAccountApi(world: DevicemakerWorld): Route[] {
  const path = '/devicemaker/rest/user';
  const owned = (method: Route['method'], name: string, serve: (account: DevicemakerAccount) => Reply) =>
    route(method, `${path}/${name}`, (request) => asOwner(world, request, serve), 'api');
  return [
    owned('GET', 'id', ({ account_id }) => ok({ userId: account_id })),
    owned('GET', 'permissions', ({ permissions }) => ok(permissions)),
    owned('DELETE', 'registration', (account) => {
      deregister(world, account);
      return { status: 204 };
    }),
  ];
}
