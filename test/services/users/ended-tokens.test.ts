import t from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import {
  revokeActive,
  revokeConnection,
  revokeConnections,
} from '../../../services/users/tables/connections.ts';
import { expireConnection } from '../../../services/users/tables/tokens.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const provider = 'devicemaker' as const;
const origin = { actor: null, requestId: null };

interface Connected {
  readonly id: string;
  readonly user_id: string;
  readonly version: number;
}

type End = (database: Database, connection: Connected) => Promise<unknown>;
const endings: Readonly<Record<string, readonly [status: 'revoked' | 'expired', End]>> = {
  'an event': ['revoked', (database, { id }) => revokeActive(database, id)],
  'a disconnect': ['revoked', (database, { user_id }) => revokeConnection(database, user_id, provider)],
  'the deletion of its user': ['revoked', (database, { user_id }) => revokeConnections(database, user_id)],
  'a refused token': [
    'expired',
    (database, { id, version }) =>
      expireConnection(database, origin, { connection_id: id, version, reason: 'REFRESH_REFUSED' }),
  ],
};

for (const [what, [status, end]] of Object.entries(endings))
  t.test(`a connection that ends by ${what} keeps no token`, async (t) => {
    const database = await freshDatabase(t);
    const connected = await database.query<Connected>(
      `with person as (insert into users.person default values returning id)
       insert into users.connection (user_id, provider, provider_user_id, status, scope, access_token, refresh_token,
         previous_refresh_token)
       select id, $1, 'an account', 'active', '{}', 'access', 'refresh', 'previous' from person
       returning id, user_id, token_version as version`,
      [provider],
    );
    for (const connection of connected) await end(database, connection);
    const left = await database.query(
      'select status, access_token, refresh_token, previous_refresh_token from users.connection',
    );
    t.same(left, [{ status, access_token: null, refresh_token: null, previous_refresh_token: null }]);
  });
