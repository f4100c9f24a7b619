import { users } from '../../contracts/users.ts';
import { formatInstant } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { orm } from '../../mixins/database/orm.ts';
import { reads } from '../../mixins/database/reads.ts';
import { reportUnpublished, unpublishedHandler } from '../../mixins/database/unpublished-changes.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Environment, Starting } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { implement } from '../../runtime/implement.ts';
import { projectOf } from '../../runtime/user-project.ts';
import {
  beginReading,
  disconnect,
  endByEvent,
  findConnection,
  findTokens,
  resolveAccounts,
  stopBackfill,
  toConnection,
} from './actions/connections.ts';
import { consentLink, importLink } from './actions/links.ts';
import { moveConnectionsIn, moveUsersIn } from './actions/move-in.ts';
import { listCredentials, removeCredentials, setCredentials } from './actions/provider-clients.ts';
import { createUser, listUsers, toUser, updateUser } from './actions/users.ts';
import { accountHashesOf } from './rules/account-hashes.ts';
import { selectConnectionCounts } from './tables/connection-counts.ts';
import {
  selectActivePage,
  selectConnectionState,
  selectConnections,
  touchConnections,
  updatePrivacy,
  updateScopes,
} from './tables/connections.ts';
import { Connection, UserRow } from './tables/entities.ts';
import { closeProject, deleteCounts, selectLeftInProject } from './tables/projects.ts';
import {
  eraseSecretsOf,
  selectClient,
  selectClientOfUser,
  selectOwnProviders,
} from './tables/provider-clients.ts';
import {
  confirmTokens,
  expireConnection,
  leaseRefresh,
  releaseRefresh,
  storeTokens,
} from './tables/tokens.ts';
import { selectAllUsers } from './tables/user-list.ts';
import { selectProject, selectUser, selectUsersInProject } from './tables/users.ts';
import { removeSome, removeUser } from './work/erasure.ts';
import { jobHandlers, startFolding } from './work/jobs.ts';
import { reportUnreadable, startResealing } from './work/reseal.ts';

export default implement(users, {
  uses: {
    database: database(),
    reads: reads(),
    jobs: jobs(),
    orm: orm([UserRow, Connection]),
    cipher: ({ config }: Starting) => cipherOf(config),
    accountHashes: ({ config }: Starting) => accountHashesOf(config),
  },
  actions: {
    async create(ctx) {
      return toUser(await createUser(ctx, ctx.origin, projectOf(ctx.meta), ctx.params));
    },
    list: (ctx) => listUsers(ctx.reads, projectOf(ctx.meta), ctx.params),
    async get(ctx) {
      return toUser(await selectUser(ctx.reads, ctx.params.user_id));
    },
    async update(ctx) {
      const user = await updateUser(ctx, ctx.origin, ctx.params.user_id, ctx.params);
      if (ctx.params.time_zone !== undefined) await placeByZone(ctx, user.id, ctx.params.time_zone);
      return toUser(user);
    },
    async remove(ctx) {
      return toUser(await removeUser(ctx, ctx.params.user_id));
    },
    async connections(ctx) {
      return (await selectConnections(ctx.reads, ctx.params.user_id)).map(toConnection);
    },
    async connect(ctx) {
      const connection = toConnection(await importLink(ctx, ctx.cipher, ctx.params));
      if (ctx.params.access_token !== undefined && ctx.config.BACKFILL_ON_CONNECT)
        await beginReading(ctx.call, connection);
      return connection;
    },
    async link(ctx) {
      return toConnection(await consentLink(ctx, ctx.params));
    },
    async connection({ reads, params }) {
      const connection = await findConnection(reads, params.user_id, params.provider);
      const state = await selectConnectionState(reads, params.user_id, params.provider);
      return { ...toConnection(connection), status_reason: state?.reason ?? null };
    },
    async disconnect(ctx) {
      const { user_id, provider } = ctx.params;
      const purge = await disconnect(ctx, ctx.params);
      ctx.jobs.notify();
      const connection = await findConnection(ctx.database, user_id, provider);
      await stopBackfill(ctx.call, connection.id);
      await purge?.();
      return toConnection(connection);
    },
    async activeConnections({ database, params: { provider, after, limit } }) {
      const rows = await selectActivePage(database, provider, after, limit);
      return rows.map(({ connection_id, user_id, connected_at, project_id }) => ({
        connection_id,
        user_id,
        connected_at: connected_at.toISOString(),
        project_id,
      }));
    },
    async resolve(ctx) {
      const connections = await resolveAccounts(ctx, ctx.params);
      return connections.map((row) => ({ ...row, connected_at: formatInstant(row.connected_at.getTime()) }));
    },
    async synced(ctx) {
      return { updated: await touchConnections(ctx.database, ctx.params.connection_ids) };
    },
    async changePrivacy(ctx) {
      return { updated: await updatePrivacy(ctx.database, ctx.origin, ctx.params) };
    },
    async changeScopes(ctx) {
      return { updated: await updateScopes(ctx.database, ctx.origin, ctx.params.changes) };
    },
    async endByEvent(ctx) {
      const revoked = await endByEvent(ctx, ctx.params);
      if (revoked) await stopBackfill(ctx.call, ctx.params.connection_id);
      return { revoked };
    },
    async figures({ database, params: { project_id } }) {
      const order = { sort_by: 'created_at', sort_order: 'asc' } as const;
      const { total } = await selectAllUsers(database, project_id, { ...order, offset: 0, limit: 1 });
      return { users: total, connections: await selectConnectionCounts(database, project_id) };
    },
    closeProject: ({ database, params }) => closeProject(database, params.project_id, params.with_users),
    async removeSome(ctx) {
      return { removed: await removeSome(ctx, ctx.params.project_id, ctx.params.limit) };
    },
    async forgetProject({ database, params }) {
      await eraseSecretsOf(database, params.project_id);
      return { deleted: await deleteCounts(database, params.project_id) };
    },
    leftInProject: ({ database, params }) => selectLeftInProject(database, params.project_id),
    async projectOf({ reads, params }) {
      return { project_id: await selectProject(reads, params.user_id) };
    },
    credentials: ({ reads, config, params }) =>
      listCredentials({ database: reads, config }, params.project_id),
    setCredentials: (ctx) => setCredentials(ctx, ctx.params),
    removeCredentials: (ctx) => removeCredentials(ctx, ctx.params),
    async ownClients({ reads, params }) {
      return { providers: await selectOwnProviders(reads, params.user_id) };
    },
    async clientOfUser({ database, params: { user_id, provider } }) {
      return { client: await selectClientOfUser(database, user_id, provider) };
    },
    async client({ database, params }) {
      return { client: await selectClient(database, params.id) };
    },
    async inProject({ reads, params: { project_id, after, limit } }) {
      return { users: await selectUsersInProject(reads, project_id, after, limit) };
    },
    async moveInUsers(ctx) {
      return { outcomes: await moveUsersIn(ctx, ctx.params) };
    },
    async moveInConnections(ctx) {
      return { outcomes: await moveConnectionsIn(ctx, ctx.params) };
    },
    tokens: (ctx) => findTokens(ctx, ctx.params.user_id, ctx.params.provider),
    async leaseRefresh(ctx) {
      return { leased: await leaseRefresh(ctx.database, ctx.params) };
    },
    async releaseRefresh(ctx) {
      return { released: await releaseRefresh(ctx.database, ctx.params) };
    },
    async storeTokens(ctx) {
      return { stored: await storeTokens(ctx.database, ctx.params) };
    },
    async confirmTokens(ctx) {
      return { confirmed: await confirmTokens(ctx.database, ctx.params) };
    },
    async expire(ctx) {
      return { expired: await expireConnection(ctx.database, ctx.origin, ctx.params) };
    },
  },
  async started({ broker, database, cipher, accountHashes, config, call, logger, jobs }) {
    const handlers = jobHandlers({ database, call, accountHashes });
    const endJobs = await jobs.start([...handlers, unpublishedHandler(database, { config, logger })]);
    const endFigures = reportUnpublished(database, { broker });
    const endFolding = startFolding(database, logger);
    await reportUnreadable({ database, cipher, logger });
    const endResealing = startResealing({ database, cipher, logger, secrets: config.ENCRYPTION_KEY ?? [] });
    return async () => {
      endFigures();
      await Promise.all([endJobs(), endFolding(), endResealing()]);
    };
  },
});

// If timeseries is away, the next data without an offset brings it the zone.
async function placeByZone(
  { call, logger }: Pick<Environment, 'call' | 'logger'>,
  user_id: string,
  time_zone: string | null,
): Promise<void> {
  try {
    await call('timeseries.changeZone', { user_id, time_zone });
  } catch (error) {
    logger.warn('users.zone_not_placed', { user_id, reason: codeOf(error) });
  }
}
