import { contract } from '../domain/contract.ts';
import { connectionActions } from './users/connections.ts';
import { figureActions } from './users/figures.ts';
import { providerClientActions } from './users/provider-clients.ts';
import { providerEventActions } from './users/provider-events.ts';
import { tokenActions } from './users/tokens.ts';
import { userActions } from './users/user-records.ts';

export type * from './users/schemas.ts';

/** Users and their connections to providers. */
export const users = contract('users', {
  ...userActions,
  ...connectionActions,
  ...providerEventActions,
  ...tokenActions,
  ...providerClientActions,
  ...figureActions,
});
