import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { statusOf } from '../../../services/connect/actions/status.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const played: { connection: object; backfill: object | null } = { connection: {}, backfill: null };

// The other services are stubs that return the values of a row.
const services = [
  { name: 'users', actions: { connection: () => played.connection } },
  {
    name: 'backfill',
    actions: {
      status() {
        if (played.backfill === null) throw new ServiceError('BACKFILL_NOT_FOUND');
        return played.backfill;
      },
    },
  },
];
const { call } = await startBroker(t, { databaseUrl: database.url, services });

const active = { status: 'active', status_reason: null };
const failed = { type: 'dailies', status: 'failed', reason: 'It was refused.' };
const good = { type: 'sleeps', status: 'done', reason: null };

/** A row: a connection, its backfill, and the error that its owner sees. */
const rows: readonly (readonly [connection: object, backfill: object | null, error: string | null])[] = [
  [active, null, null],
  [active, { status: 'done', reason: null, types: [good] }, null],
  [active, { status: 'done', reason: null, types: [good, failed] }, 'dailies: It was refused.'],
  [active, { status: 'done', reason: null, types: [{ ...failed, reason: null }] }, 'dailies: it failed.'],
  [active, { status: 'failed', reason: 'No answer.', types: [failed] }, 'No answer.'],
  [active, { status: 'cancelled', reason: 'By hand.', types: [failed] }, null],
  [
    { status: 'revoked', status_reason: null },
    { status: 'failed', reason: 'No answer.', types: [] },
    'The connection was ended by the user, the application or the provider.',
  ],
  [
    { status: 'expired', status_reason: 'TOKEN_REFUSED' },
    null,
    'The provider no longer accepts our access: the user has to connect again.',
  ],
  [
    { status: 'expired', status_reason: null },
    null,
    'The access to the provider has ended: the user has to connect again.',
  ],
];

t.test('the last error of a connection is its own, or that of its backfill', async (t) => {
  for (const [connection, backfill, error] of rows) {
    Object.assign(played, { connection, backfill });
    const status = await statusOf(call, randomUUID(), 'devicemaker');
    t.equal(status.last_error, error, JSON.stringify([connection, backfill]));
    t.same(status.data_types, Object(backfill).types ?? []);
  }
});
