import { contract } from '../domain/contract.ts';
import { connectionActions, providerEventActions, tokenActions } from './users/connections.ts';
import { moveInActions } from './users/move-in.ts';
import { providerClientActions } from './users/provider-clients.ts';
import { figureActions, userActions } from './users/user-records.ts';

export type * from './users/schemas.ts';

/** Users and their connections to providers. */
export const users = contract('users', {
  ...userActions,
  ...connectionActions,
  ...providerEventActions,
  ...tokenActions,
  ...providerClientActions,
  ...figureActions,
  ...moveInActions,
});
