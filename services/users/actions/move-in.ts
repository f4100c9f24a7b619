import type { Actions } from '../../../contracts/all.ts';
import { refused, same, saved } from '../../../contracts/move-in.ts';
import type { users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/time/time.ts';
import { recordAudits } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { type AuditOrigin, moveInOrigin } from '../../../runtime/audit-origin.ts';
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
  { database, origin, cipher }: MoveDeps & { readonly cipher: Cipher },
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
    const choose = chooser({ projectId: project_id, states, found, cipher });
    const choices = connections.map((given) => {
      const choice = choose(given);
      if ('outcome' in choice) return choice;
      const row = sealedRow(cipher, { ...given, id: choice.id }, clients.get(given.provider) ?? null);
      return { ...choice, row };
    });
    const chosen = choices.flatMap((choice) => ('outcome' in choice ? [] : [choice]));
    const written = await write(transaction, chosen);
    await recordAudits(
      transaction,
      moveInOrigin(origin, project_id),
      chosen.flatMap(({ row, former }) => (written.has(row.id) ? [entryOf(row, former)] : [])),
    );
    return choices.map((choice) => {
      if ('outcome' in choice) return choice;
      if (written.has(choice.row.id)) return saved;
      return choice.former === null ? refused('id_taken') : same;
    });
  });
}

/** A connection that is written under an id; `former` is the one that it replaces. */
interface Choice {
  readonly id: string;
  readonly former: FoundConnection | null;
}

interface Choosing {
  readonly projectId: string;
  readonly states: ReadonlyMap<string, UserState>;
  readonly found: readonly FoundConnection[];
  readonly cipher: Cipher;
}

// Of connections of one user to one provider, or with one id, that are given in one call, the first is written.
function chooser({ projectId, states, found, cipher }: Choosing) {
  const taken = new Set(found.map(({ id }) => id));
  const ofUser = new Map(found.map((row) => [placeOf(row), row]));
  const written = new Set<string>();
  return (given: GivenConnection): ConnectionOutcome | Choice => {
    const state = states.get(given.user_id);
    if (state === undefined) return refused('unknown_user');
    const refusal = refusalOf(state, projectId);
    if (refusal !== null) return refusal;
    const place = placeOf(given);
    if (written.has(place)) return same;
    const former = ofUser.get(place) ?? null;
    if (former === null && taken.has(given.id)) return refused('id_taken');
    if (former !== null && !replaces(cipher, given, former)) return same;
    written.add(place);
    taken.add(given.id);
    return { id: former?.id ?? given.id, former };
  };
}

const placeOf = ({ user_id, provider }: { readonly user_id: string; readonly provider: string }) =>
  `${user_id} ${provider}`;

// What was moved is replaced by what the other installation has now. Tokens that expire earlier are those of an older run.
function replaces(cipher: Cipher, given: GivenConnection, former: FoundConnection): boolean {
  if (!former.is_as_moved) return false;
  const tokens = tokensOf(given);
  const areOlder =
    tokens.expires_at !== null &&
    former.expires_at !== null &&
    tokens.expires_at.ms < former.expires_at.getTime();
  if (areOlder) return false;
  return (
    given.status !== former.status ||
    reasonOf(given) !== former.status_reason ||
    given.provider_user_id !== former.provider_user_id ||
    tokens.access_token !== opened(cipher, former.access_token, former.id) ||
    tokens.refresh_token !== opened(cipher, former.refresh_token, former.id)
  );
}

// A token that no configured secret decrypts is of no use here, so it differs from every other.
function opened(cipher: Cipher, token: string | null, id: string): string | null | undefined {
  try {
    return token === null ? null : cipher.decrypt(token, id);
  } catch {
    return undefined;
  }
}

/** The tokens of a connection that is moved; none of one that has ended. */
function tokensOf({ status, access_token, refresh_token, expires_at }: GivenConnection) {
  if (status === 'active') return { access_token, refresh_token, expires_at };
  return { access_token: null, refresh_token: null, expires_at: null };
}

const reasonOf = ({ status, status_reason }: GivenConnection) =>
  status === 'expired' ? status_reason : null;

function sealedRow(cipher: Cipher, given: GivenConnection, clientId: string | null): MovedConnectionRow {
  const { id, user_id, provider, provider_user_id, status, created_at, last_synced_at } = given;
  const tokens = tokensOf(given);
  const sealed = (token: string | null) => (token === null ? null : cipher.encrypt(token, id));
  return {
    id,
    user_id,
    provider,
    provider_user_id,
    status,
    status_reason: reasonOf(given),
    scope: [...new Set(given.scope)],
    access_token: sealed(tokens.access_token),
    refresh_token: sealed(tokens.refresh_token),
    expires_at: tokens.expires_at === null ? null : isoTime(tokens.expires_at.ms),
    provider_client_id: clientId,
    created_at: isoTime(created_at.ms),
    last_synced_at: last_synced_at === null ? null : isoTime(last_synced_at.ms),
  };
}

type ChosenRow = Choice & { readonly row: MovedConnectionRow };

/** Writes the chosen connections. Returns the ids of those that were written. */
async function write(transaction: Queryable, chosen: readonly ChosenRow[]): Promise<Set<string>> {
  for (const { row, former } of chosen) {
    const { provider, provider_user_id, provider_client_id: client } = row;
    if (former !== null && former.provider_user_id !== provider_user_id)
      await insertFormerAccount(transaction, row.user_id, row.id);
    // The tokens of another user's former connection to this account may be the same access at the provider.
    if (row.status === 'active')
      await cancelTokenRevocations(transaction, { provider, provider_user_id, client, region: null });
  }
  const rowsOf = (isNew: boolean) =>
    chosen.filter(({ former }) => (former === null) === isNew).map(({ row }) => row);
  const inserted = await insertMoved(transaction, rowsOf(true));
  const replaced = await replaceMoved(transaction, rowsOf(false));
  return new Set([...inserted, ...replaced]);
}

function entryOf({ id, user_id, provider, status }: MovedConnectionRow, former: FoundConnection | null) {
  const details = { provider, status, ...(former === null ? {} : { fields: ['tokens'] }) };
  const action = former === null ? 'connection.created' : 'connection.changed';
  return { action, userId: user_id, subjectId: id, details } as const;
}
