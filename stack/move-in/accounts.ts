import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Connection } from '../../contracts/users/schemas.ts';
import { isError } from '../../domain/errors.ts';
import { ownValue } from '../../domain/own-value.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import type { Ledger, Left } from './ledger.ts';
import { isRefusal } from './owners.ts';
import { noProvider } from './rules/mapped.ts';
import { providerOf } from './rules/sources.ts';
import type { Source } from './source.ts';
import { type SourceTable, selectList } from './source-tables.ts';

// Users, applications, keys, connections and the refresh tokens of apps. Keys and refresh tokens are hashed in this process; the tokens of
// connections are sent to their owner, which seals them.

/** What the accounts are moved with. */
export interface AccountMove {
  readonly source: Source;
  /** Null in a dry run. */
  readonly call: Call | null;
  readonly ledger: Ledger;
  readonly projectId: string;
  /** Null: all users. */
  readonly userIds: readonly string[] | null;
  readonly signal: AbortSignal;
}

const rowsPerCall = 500;

/** The users whose data may follow. */
export interface MovedUsers {
  readonly ids: readonly string[];
  /** Those of them who were here before. */
  readonly known: ReadonlySet<string>;
}

/** Moves all accounts in the order in which they need each other. */
export async function moveAccounts(move: AccountMove): Promise<MovedUsers> {
  const moved = await moveUsers(move);
  const users = new Set(moved.ids);
  await moveApplications(move);
  await moveKeys(move);
  await moveConnections(move, users);
  await moveTokens(move, users);
  return moved;
}

type Outcome =
  | { readonly outcome: 'saved' | 'same' }
  | { readonly outcome: 'refused'; readonly reason: string };

/** How the rows of a table become entries of a call. */
interface TableMove<Row, Entry> {
  readonly table: SourceTable;
  readonly row: z.ZodType<Row>;
  /** The rows that are read; $1 are the ids of chosen users. */
  readonly where?: string;
  readonly order: string;
  /** The id of a row in the report. Never a secret. */
  readonly idOf: (row: Row) => Pick<Left, 'id' | 'user_id'>;
  /** The entry, or why the row is left. */
  readonly entryOf: (row: Row) => Entry | string;
  readonly send: (call: Call, entries: Entry[]) => Promise<{ readonly outcomes: readonly Outcome[] }>;
}

async function moveTable<Row, Entry>(
  move: AccountMove,
  table: TableMove<Row, Entry>,
  moved: (row: Row, isNew: boolean) => void = () => undefined,
): Promise<void> {
  const { source, userIds, signal } = move;
  const { where = 'true' } = table;
  const isChosen = userIds !== null && where !== 'true';
  const statement = `select ${selectList(source.columns, table.table, 't')} from "${table.table}" t
    where ${isChosen ? where : 'true'} order by ${table.order}`;
  await source.reading(async (reader) => {
    for await (const rows of reader.pages(statement, isChosen ? [userIds] : [], rowsPerCall)) {
      signal.throwIfAborted();
      move.ledger.read(table.table, rows.length);
      for (const { row, isNew } of await movePage(move, table, rows)) moved(row, isNew);
    }
  });
}

async function movePage<Row, Entry>(
  { call, ledger }: AccountMove,
  table: TableMove<Row, Entry>,
  rows: readonly unknown[],
): Promise<{ readonly row: Row; readonly isNew: boolean }[]> {
  const ready: Ready<Row, Entry>[] = [];
  for (const given of rows) {
    const row = table.row.safeParse(given).data;
    if (row === undefined) {
      ledger.left({ table: table.table, reason: unreadable });
      continue;
    }
    const entry = table.entryOf(row);
    if (typeof entry === 'string') ledger.left({ table: table.table, reason: entry, ...table.idOf(row) });
    else ready.push({ row, entry });
  }
  const outcomes = call === null ? [] : await sendEntries(call, table, ready);
  return ready.flatMap(({ row }, index) => {
    const outcome = outcomes[index];
    if (outcome?.outcome === 'refused') {
      ledger.left({ table: table.table, reason: outcome.reason, ...table.idOf(row) });
      return [];
    }
    ledger.moved(table.table);
    return [{ row, isNew: outcome?.outcome === 'saved' }];
  });
}

const unreadable = 'a column has a value that it should not have';

interface Ready<Row, Entry> {
  readonly row: Row;
  readonly entry: Entry;
}

// An entry that is invalid fails its whole call: halves are sent until it is alone.
async function sendEntries<Row, Entry>(
  call: Call,
  table: TableMove<Row, Entry>,
  ready: readonly Ready<Row, Entry>[],
): Promise<readonly Outcome[]> {
  if (ready.length === 0) return [];
  try {
    const entries = ready.map(({ entry }) => entry);
    return (await table.send(call, entries)).outcomes;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const isInvalid = isError(error, 'VALIDATION_FAILED');
    if (ready.length === 1)
      return [
        { outcome: 'refused', reason: isInvalid ? unreadable : 'its owner failed, and has logged why' },
      ];
    const middle = Math.ceil(ready.length / 2);
    return [
      ...(await sendEntries(call, table, ready.slice(0, middle))),
      ...(await sendEntries(call, table, ready.slice(middle))),
    ];
  }
}

/** Hashes a key or a token as the owner of credentials does. */
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

// Of any version and variant: the owners refuse what is none of RFC 9562.
const Id = z.guid();
const Text = z.string().nullable();
const Time = z.date().nullable();

const timeOf = (time: Date | null) => (time ?? new Date()).toISOString();

const UserRow = z.object({
  id: Id,
  first_name: Text,
  last_name: Text,
  email: Text,
  external_user_id: Text,
  created_at: Time,
});

interface MovedUser {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly external_user_id: string | null;
  readonly created_at: string;
}

const mostNameCharacters = 100;
const mostEmailCharacters = 320;

async function moveUsers(move: AccountMove): Promise<MovedUsers> {
  const { ledger, projectId } = move;
  const ids: string[] = [];
  const known = new Set<string>();
  const users: TableMove<z.infer<typeof UserRow>, MovedUser> = {
    table: 'user',
    row: UserRow,
    where: 't.id = any($1)',
    order: 't.id',
    idOf: ({ id }) => ({ id }),
    entryOf: (row) => {
      const cut = (field: 'first_name' | 'last_name' | 'email', most: number) => {
        const text = row[field]?.trim() ?? null;
        if (text === null || text.length <= most) return text;
        ledger.changed({ table: 'user', id: row.id, what: field, reason: `cut to ${most} characters` });
        return text.slice(0, most).trim().toWellFormed();
      };
      return {
        id: row.id,
        first_name: cut('first_name', mostNameCharacters),
        last_name: cut('last_name', mostNameCharacters),
        email: cut('email', mostEmailCharacters) || null,
        external_user_id: row.external_user_id?.trim() || null,
        created_at: timeOf(row.created_at),
      };
    },
    send: (call, users) => call('users.moveInUsers', { project_id: projectId, users }),
  };
  await moveTable(move, users, ({ id }, isNew) => {
    ids.push(id);
    if (!isNew) known.add(id);
  });
  return { ids, known };
}

const ApplicationRow = z.object({
  app_id: z.string(),
  app_secret_hash: z.string(),
  name: Text,
  created_at: Time,
});

function moveApplications(move: AccountMove) {
  return moveTable(move, {
    table: 'application',
    row: ApplicationRow,
    order: 't.app_id',
    idOf: ({ app_id }) => ({ id: app_id }),
    entryOf: ({ app_id, app_secret_hash, name, created_at }) => ({
      app_id,
      secret_bcrypt: app_secret_hash,
      name: nameOf(name),
      created_at: timeOf(created_at),
    }),
    send: (call, applications) =>
      call('auth.moveInApplications', { project_id: move.projectId, applications }),
  });
}

// Versions after v0.6.3 have the same hash of the key, and an id of its own.
const KeyRow = z.object({ id: z.string(), key_hash: Text, name: Text, created_at: Time });

function moveKeys(move: AccountMove) {
  return moveTable(move, {
    table: 'api_key',
    row: KeyRow,
    order: 't.created_at, t.id',
    // The id of a row may be the key: the report names it by its hash.
    idOf: (row) => ({ id: hashOfKey(row).slice(0, 12) }),
    entryOf: (row) => ({
      hash: hashOfKey(row),
      name: nameOf(row.name),
      created_at: timeOf(row.created_at),
    }),
    send: (call, keys) => call('auth.moveInKeys', { project_id: move.projectId, keys }),
  });
}

/** A name as it may be here. */
const nameOf = (name: string | null) =>
  (name ?? '').trim().slice(0, mostNameCharacters).toWellFormed() || 'Moved';

const hashOfKey = ({ id, key_hash }: z.infer<typeof KeyRow>) => key_hash ?? sha256(id);

const TokenRow = z.object({
  id: z.string(),
  token_type: z.string(),
  user_id: Id.nullable(),
  app_id: Text,
  created_at: Time,
  revoked_at: Time,
});

function moveTokens(move: AccountMove, users: ReadonlySet<string>) {
  return moveTable(move, {
    table: 'refresh_token',
    row: TokenRow,
    where: 't.user_id = any($1)',
    order: 't.created_at, t.id',
    idOf: ({ id, user_id }) => ({ id: sha256(id).slice(0, 12), user_id: user_id ?? undefined }),
    entryOf: ({ id, token_type, user_id, app_id, revoked_at }) => {
      if (token_type !== 'sdk') return 'it is one of a developer, who signs in anew';
      if (revoked_at !== null) return 'it was revoked there';
      if (user_id === null || !users.has(user_id)) return 'its user was not moved';
      return { hash: sha256(id), user_id, app_id };
    },
    send: (call, tokens) => call('auth.moveInTokens', { project_id: move.projectId, tokens }),
  });
}

const ConnectionRow = z.object({
  id: Id,
  user_id: Id.nullable(),
  provider: z.string(),
  status: z.string(),
  provider_user_id: Text,
  access_token: Text,
  refresh_token: Text,
  token_expires_at: Time,
  scope: Text,
  created_at: Time,
  last_synced_at: Time,
});
type ConnectionRow = z.infer<typeof ConnectionRow>;

function moveConnections(move: AccountMove, users: ReadonlySet<string>) {
  return moveTable(move, {
    table: 'user_connection',
    row: ConnectionRow,
    where: 't.user_id = any($1)',
    // Uploads of apps are one connection here, and were several there: an active one comes first.
    order: `t.user_id, t.status <> 'active', t.id`,
    idOf: ({ id, user_id }) => ({ id, user_id: user_id ?? undefined }),
    entryOf: (row) => {
      if (row.user_id === null || !users.has(row.user_id)) return 'its user was not moved';
      const target = connectionTarget(row);
      if (target === null) return `${noProvider}: ${row.provider}`;
      const { provider, status, ended } = target;
      const at = { table: 'user_connection', id: row.id, user_id: row.user_id } as const;
      if (ended !== null) move.ledger.changed({ ...at, reason: endings[ended] });
      return {
        id: row.id,
        user_id: row.user_id,
        provider,
        // Uploads of apps have no account of their own.
        provider_user_id: row.provider_user_id?.trim().slice(0, 255) || row.user_id,
        access_token: row.access_token || null,
        refresh_token: row.refresh_token || null,
        expires_at: row.token_expires_at?.toISOString() ?? null,
        scope: scopesOf(row.scope),
        status,
        status_reason: ended,
        created_at: timeOf(row.created_at),
        last_synced_at: row.last_synced_at?.toISOString() ?? null,
      };
    },
    send: (call, connections) => call('users.moveInConnections', { project_id: move.projectId, connections }),
  });
}

type Status = Connection['status'];

interface ConnectionTarget {
  readonly provider: ProviderName;
  readonly status: Status;
  /** Why the status is not the one that the row has. */
  readonly ended: keyof typeof endings | null;
}

/** Codes of connections that are expired here and were not there, as the report says them. */
const endings = {
  STATUS_UNKNOWN: 'expired here: its status is unknown',
  TOKEN_OF_FORMER_API: 'expired here: its token is one of another API',
} as const;

const statuses: Readonly<Record<string, Status>> = {
  active: 'active',
  revoked: 'revoked',
  expired: 'expired',
};

/** Their providers that had another API before: a token works here only if it is one of the API that we use. */
const withFormerApi: ReadonlySet<string> = new Set(['google', 'fitbit']);

/** The connection here; null if its provider is not one of ours. */
function connectionTarget(row: ConnectionRow): ConnectionTarget | null {
  const source = row.access_token === null ? null : 'api';
  const provider = providerOf({ provider: row.provider, source })?.provider;
  if (provider === undefined) return null;
  const status = ownValue(statuses, row.status);
  const isOfApi = scopesOf(row.scope).some((scope) => scope.includes(`/auth/${provider}.`));
  if (status === undefined) return { provider, status: 'expired', ended: 'STATUS_UNKNOWN' };
  const isUseless = status === 'active' && source !== null && withFormerApi.has(row.provider) && !isOfApi;
  if (!isUseless) return { provider, status, ended: null };
  return { provider, status: 'expired', ended: 'TOKEN_OF_FORMER_API' };
}

const mostScopes = 100;

const scopesOf = (scope: string | null) =>
  (scope ?? '')
    .split(/[\s,]+/)
    .filter((one) => one !== '' && one.length <= mostScopes)
    .slice(0, mostScopes);
