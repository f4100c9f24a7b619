import type { Language, StaleReason } from '../../../contracts/connect/schemas.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A session of the connect page. */
export interface ConnectSession {
  readonly id: string;
  readonly tokenHash: string;
  readonly userId: string;
  readonly providers: readonly ProviderName[];
  readonly redirectUri: string | null;
  readonly language: Language | null;
  /** Why the link was made. Null: none was given. */
  readonly reason: StaleReason | null;
  /** The name of the product, to which the user agrees. Null: CONNECT_NAME. */
  readonly appName: string | null;
  /** Null: CONNECT_COLOR. */
  readonly appColour: string | null;
  /** The name of the logo's file. Null: CONNECT_LOGO. */
  readonly appLogo: string | null;
  /** Null: no browser has opened the page. */
  readonly browserHash: string | null;
  readonly connected: readonly ProviderName[];
  readonly lastProvider: ProviderName | null;
  readonly lastStatus: string | null;
  readonly lastReason: string | null;
  readonly isExpired: boolean;
}

/** The values of a new session. */
type NewSession = Pick<
  ConnectSession,
  | 'id'
  | 'tokenHash'
  | 'userId'
  | 'providers'
  | 'redirectUri'
  | 'language'
  | 'reason'
  | 'appName'
  | 'appColour'
  | 'appLogo'
>;

const minutes = 30;

/** Stores a session. Returns the time at which it expires. */
export async function insertSession(database: Queryable, session: NewSession): Promise<Date> {
  const [row] = await database.query<{ expiresAt: Date }>(
    `insert into connect.session (id, token_hash, user_id, providers, redirect_uri, language, app_name, app_colour, app_logo,
       reason, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + interval '${minutes} minutes') returning expires_at as "expiresAt"`,
    [
      session.id,
      session.tokenHash,
      session.userId,
      session.providers,
      session.redirectUri,
      session.language,
      session.appName,
      session.appColour,
      session.appLogo,
      session.reason,
    ],
  );
  if (row === undefined) throw new Error('the session was not written');
  return row.expiresAt;
}

const columns = `
  id, token_hash as "tokenHash", user_id as "userId", providers, redirect_uri as "redirectUri", language, app_name as "appName",
  app_colour as "appColour", app_logo as "appLogo", browser_hash as "browserHash", connected, last_provider as "lastProvider", last_status as "lastStatus",
  last_reason as "lastReason", reason, expires_at <= now() as "isExpired"`;

/** The session of a token. */
export async function findSessionByToken(
  database: Queryable,
  tokenHash: string,
): Promise<ConnectSession | null> {
  const statement = `select ${columns} from connect.session where token_hash = $1`;
  return (await database.query<ConnectSession>(statement, [tokenHash]))[0] ?? null;
}

/** The session of an id. */
export async function findSession(database: Queryable, id: string): Promise<ConnectSession | null> {
  const statement = `select ${columns} from connect.session where id = $1`;
  return (await database.query<ConnectSession>(statement, [id]))[0] ?? null;
}

/** Binds a session to a browser. False if another browser was first. */
export async function bindSession(database: Queryable, id: string, browserHash: string): Promise<boolean> {
  const statement = `
    update connect.session set browser_hash = $2
    where id = $1 and browser_hash is null and expires_at > now() returning 1`;
  return (await database.query(statement, [id, browserHash])).length > 0;
}

/** Stores the outcome of an attempt; a new attempt has none yet. */
export async function storeOutcome(
  database: Queryable,
  id: string,
  { provider, status, reason }: { provider: ProviderName; status: string | null; reason: string | null },
): Promise<void> {
  const statement = `
    update connect.session set last_provider = $2, last_status = $3, last_reason = $4,
      connected = case when $3 = 'connected' and not $2 = any(connected) then connected || $2 else connected end
    where id = $1`;
  await database.query(statement, [id, provider, status, reason]);
}
