import { createHash } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { Actions } from '../../../contracts/all.ts';
import { refused, same, saved } from '../../../contracts/move-in.ts';
import type { users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isoTime, isoTimeOrNull } from '../../../domain/time/time.ts';
import { type NewAuditEntry, recordAudits } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { type AuditOrigin, moveInOrigin } from '../../../runtime/audit-origin.ts';
import { chosenRegion, requestedScopes } from '../../../runtime/provider-settings.ts';
import { insertFormerAccount } from '../tables/accounts.ts';
import {
  type FoundConnection,
  insertMoved,
  type MovedConnectionRow,
  replaceMoved,
  selectFound,
} from '../tables/moved-connections.ts';
import { selectClients } from '../tables/provider-clients.ts';
import { cancelTokenRevocations } from '../tables/token-revocations.ts';
import { insertMovedUsers, selectUserStates, type UserState } from '../tables/users.ts';

type UserOutcomes = Actions['users.moveInUsers']['returns']['outcomes'];
type ConnectionOutcome = Actions['users.moveInConnections']['returns']['outcomes'][number];
type MovedConnections = ParamsOf<typeof users, 'moveInConnections'>;
type GivenConnection = MovedConnections['connections'][number];

interface MoveDeps {
  readonly database: Database;
  readonly origin: AuditOrigin;
}

/** Moves users in, with an outcome for each. @throws PROJECT_NOT_FOUND (404) for a project that is being deleted */
export function moveUsersIn(
  { database, origin }: MoveDeps,
  { project_id, users: given }: ParamsOf<typeof users, 'moveInUsers'>,
): Promise<UserOutcomes> {
  return database.transaction(async (transaction) => {
    const rows = given.map((user) => ({ ...user, created_at: isoTime(user.created_at.ms) }));
    const inserted = await insertMovedUsers(transaction, project_id, rows);
    if (inserted === null) throw new ServiceError('PROJECT_NOT_FOUND');
    const entries = [...inserted].map((userId) => ({ action: 'user.created', userId }) as const);
    await recordAudits(transaction, moveInOrigin(origin, project_id), entries);
    const ids = given.map(({ id }) => id);
    const states = await selectUserStates(transaction, ids, { lock: false });
    return ids.map((id) => {
      // Of an id that is given twice the first entry is saved.
      if (inserted.delete(id)) return saved;
      const state = states.get(id);
      return state === undefined ? refused('external_id_taken') : (refusalOf(state, project_id) ?? same);
    });
  });
}

function refusalOf({ project, deleted }: UserState, projectId: string) {
  if (deleted) return refused('erased');
  return project === projectId ? null : refused('other_project');
}

/**
 * Moves connections in, with an outcome for each. The rows of their users are locked, which orders a move with the connects,
 * disconnects and deletions of the same users.
 */
export function moveConnectionsIn(
  { database, origin, cipher, config }: MoveDeps & { readonly cipher: Cipher; readonly config: Config },
  { project_id, connections }: MovedConnections,
): Promise<ConnectionOutcome[]> {
  return database.transaction(async (transaction) => {
    const userIds = connections.map(({ user_id }) => user_id);
    const states = await selectUserStates(transaction, userIds, { lock: true });
    const ids = connections.map(({ id }) => id);
    const found = await selectFound(transaction, userIds, ids);
    const clients = new Map(
      (await selectClients(transaction, project_id)).map(({ id, provider }) => [provider, id]),
    );
    const choose = chooser({ projectId: project_id, states, found });
    const choices = connections.map((given) => {
      const clientId = clients.get(given.provider) ?? null;
      const region = chosenRegion(config, given.provider, undefined, clientId !== null);
      const entry = { ...given, region, clientId, hash: hashOf(given) };
      const choice = choose(entry);
      return 'outcome' in choice ? choice : { ...choice, row: sealedRow(cipher, entry) };
    });
    const chosen = choices.flatMap((choice) => ('outcome' in choice ? [] : [choice]));
    const taken = await write(transaction, chosen);
    const written = chosen.filter(({ row }) => !taken.has(row.id));
    await recordAudits(transaction, moveInOrigin(origin, project_id), written.map(entryOf));
    return choices.map((choice) => {
      if ('outcome' in choice) return choice;
      return taken.has(choice.row.id) ? refused('id_taken') : saved;
    });
  });
}

/** A connection that is written; `former` is the one that it replaces. */
interface Choice {
  readonly former: FoundConnection | null;
}

interface Choosing {
  readonly projectId: string;
  readonly states: ReadonlyMap<string, UserState>;
  readonly found: readonly FoundConnection[];
}

/** A connection of a call, with what follows from it here. */
interface Entry extends GivenConnection {
  readonly region: string | null;
  readonly clientId: string | null;
  readonly hash: string;
}

// Of connections of one user to one provider, or with one id, that are given in one call, the first is written.
function chooser({ projectId, states, found }: Choosing) {
  const taken = new Set(found.map(({ id }) => id));
  const ofUser = new Map(found.map((row) => [placeOf(row), row]));
  const written = new Set<string>();
  return (given: Entry): ConnectionOutcome | Choice => {
    const state = states.get(given.user_id);
    if (state === undefined) return refused('unknown_user');
    const refusal = refusalOf(state, projectId);
    if (refusal !== null) return refusal;
    const place = placeOf(given);
    if (written.has(place)) return same;
    const former = ofUser.get(place) ?? null;
    if (former === null && taken.has(given.id)) return refused('id_taken');
    // Of two connections there to one provider here the first one that was moved counts.
    if (former !== null && (former.id !== given.id || !replaces(given, former))) return same;
    written.add(place);
    taken.add(given.id);
    return { former };
  };
}

const placeOf = ({ user_id, provider }: { readonly user_id: string; readonly provider: string }) =>
  `${user_id} ${provider}`;

// What was moved is replaced by what the other installation has now, if that has changed since, or if the tokens are those of another
// client. Tokens that expire earlier are those of an older run.
function replaces(given: Entry, former: FoundConnection): boolean {
  if (!former.is_as_moved) return false;
  const expiresAt = tokensOf(given).expires_at;
  if (expiresAt !== null && former.expires_at !== null && expiresAt.ms < former.expires_at.getTime())
    return false;
  return given.hash !== former.moved_hash || given.clientId !== former.provider_client_id;
}

// Tokens are random, so the hash tells nothing of them. Their expiry changes with them, and the times of the connection do not count.
function hashOf(given: GivenConnection): string {
  const { provider_user_id, scope, status } = given;
  const { access_token, refresh_token } = tokensOf(given);
  const facts = [provider_user_id, scope, status, reasonOf(given), access_token, refresh_token];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The tokens of a connection that is moved; none of one that has ended. */
function tokensOf({ status, access_token, refresh_token, expires_at }: GivenConnection) {
  if (status === 'active') return { access_token, refresh_token, expires_at };
  return { access_token: null, refresh_token: null, expires_at: null };
}

const reasonOf = ({ status, status_reason }: GivenConnection) =>
  status === 'expired' ? status_reason : null;

function sealedRow(cipher: Cipher, given: Entry): MovedConnectionRow {
  const { id, user_id, provider, provider_user_id, region, status, created_at, last_synced_at } = given;
  const tokens = tokensOf(given);
  const sealed = (token: string | null) => (token === null ? null : cipher.encrypt(token, id));
  return {
    id,
    user_id,
    provider,
    provider_user_id,
    region,
    status,
    status_reason: reasonOf(given),
    // By the OAuth standard, a scope that was not returned equals the requested one.
    scope: [...new Set(given.scope.length === 0 ? requestedScopes(provider) : given.scope)],
    access_token: sealed(tokens.access_token),
    refresh_token: sealed(tokens.refresh_token),
    expires_at: isoTimeOrNull(tokens.expires_at?.ms ?? null),
    provider_client_id: given.clientId,
    created_at: isoTime(created_at.ms),
    last_synced_at: isoTimeOrNull(last_synced_at?.ms ?? null),
    moved_hash: given.hash,
  };
}

type ChosenRow = Choice & { readonly row: MovedConnectionRow };

/** Writes the chosen connections. Returns the ids of those that another transaction took meanwhile. */
async function write(transaction: Queryable, chosen: readonly ChosenRow[]): Promise<Set<string>> {
  for (const { row, former } of chosen) {
    const { provider, provider_user_id, region, provider_client_id: client } = row;
    const isOther = former?.provider_user_id !== provider_user_id || former.region !== region;
    if (former !== null && isOther) await insertFormerAccount(transaction, row.user_id, row.id);
    // The tokens of another user's former connection to this account may be the same access at the provider.
    if (row.status === 'active')
      await cancelTokenRevocations(transaction, { provider, provider_user_id, region, client });
  }
  const rowsOf = (isNew: boolean) =>
    chosen.filter(({ former }) => (former === null) === isNew).map(({ row }) => row);
  await replaceMoved(transaction, rowsOf(false));
  const inserted = await insertMoved(transaction, rowsOf(true));
  return new Set(rowsOf(true).flatMap(({ id }) => (inserted.has(id) ? [] : [id])));
}

function entryOf({ row: { id, user_id, provider, status }, former }: ChosenRow): NewAuditEntry {
  const entry = { userId: user_id, subjectId: id };
  if (former === null) return { ...entry, action: 'connection.created', details: { provider, status } };
  return { ...entry, action: 'connection.changed', details: { provider, status, fields: ['tokens'] } };
}
