import { users } from '../../contracts/users.ts';
import { formatInstant } from '../../domain/time.ts';
import { cipherOf } from '../../mixins/cipher.ts';
import { database } from '../../mixins/database.ts';
import type { Environment } from '../../mixins/environment.ts';
import { implement } from '../../mixins/implement.ts';
import { orm } from '../../mixins/orm.ts';
import { startRounds } from '../../mixins/rounds.ts';
import { connect, disconnect, listConnections } from './connections.ts';
import { removePerson, resumeErasures } from './erasure.ts';
import { listPeople } from './listing.ts';
import { changePerson, createPerson, findPerson } from './people.ts';
import { foldChanges } from './queries/fold-changes.ts';
import { selectActiveConnections } from './queries/select-active-connections.ts';
import { touchConnections } from './queries/touch-connections.ts';
import { Connection, Person } from './users.entities.ts';
import { toConnection, toUser } from './wire.ts';

const erasureEveryMs = 5000;
const foldingEveryMs = 2000;

export default implement(users, {
  uses: {
    database: database(),
    orm: orm([Person, Connection]),
    cipher: { start: async ({ config }: Environment) => cipherOf(config), stop: async () => undefined },
  },
  actions: {
    async create(ctx) {
      return toUser(await createPerson(ctx.orm, ctx.params));
    },
    list: (ctx) => listPeople(ctx.database, ctx.params),
    async get(ctx) {
      return toUser(await findPerson(ctx.orm, ctx.params.user_id));
    },
    async update(ctx) {
      return toUser(await changePerson(ctx.orm, ctx.params.user_id, ctx.params));
    },
    async remove(ctx) {
      return toUser(await removePerson(ctx, ctx.params.user_id));
    },
    async connections(ctx) {
      return (await listConnections(ctx.orm, ctx.params.user_id)).map(toConnection);
    },
    async connect(ctx) {
      return toConnection(await connect(ctx.database, ctx.cipher, ctx.params));
    },
    async disconnect(ctx) {
      return toConnection(await disconnect(ctx, ctx.params.user_id, ctx.params.provider));
    },
    async resolve(ctx) {
      const { provider, provider_user_ids } = ctx.params;
      const found = await selectActiveConnections(ctx.database, provider, provider_user_ids);
      return found.map((row) => ({ ...row, connected_at: formatInstant(row.connected_at.getTime()) }));
    },
    async synced(ctx) {
      return { updated: await touchConnections(ctx.database, ctx.params.connection_ids) };
    },
  },
  async started({ database, call, logger }) {
    const erasing = { database, call, logger };
    const endErasures = startRounds({
      name: 'users.erasure',
      everyMs: erasureEveryMs,
      firstAfterMs: 1000,
      work: () => resumeErasures(erasing),
      logger,
    });
    const endFolding = startRounds({
      name: 'users.folding',
      everyMs: foldingEveryMs,
      work: async () => {
        if (await foldChanges(database)) logger.debug('users.list_folded');
      },
      logger,
    });
    return async () => {
      await Promise.all([endErasures(), endFolding()]);
    };
  },
});
