import type { Config } from '../../../config.ts';
import type { Admission, Caller } from '../../../contracts/auth/schemas.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { hasAll, isAway } from '../../../mixins/database/primary-away.ts';
import {
  type AdmittedRow,
  admitFamily,
  admitKey,
  admitSession,
  findFamily,
  findKey,
  findSession,
} from '../queries/admit.ts';
import { sessionLifetimeOf } from '../tokens/lifetimes.ts';
import type { Claims, TokenSigner } from '../tokens/tokens.ts';
import type { GroupedCounts } from './grouped-counts.ts';
import type { Outage } from './outage.ts';

/** A credential of a request: the hash of an API key, a token, or the hash of the cookie of a console session. */
export type Credential =
  | ({ readonly api_key_hash: string; readonly uncounted?: true | undefined } & Purpose)
  | ({ readonly token: string; readonly uncounted?: true | undefined } & Purpose & Naming)
  | ({ readonly session_hash: string } & Purpose & Naming);

interface Naming {
  /** The project that the request names. */
  readonly project?: string | undefined;
}

interface Purpose {
  /** The request only reads, so a replica may admit it while there is no primary. */
  readonly read_only?: true | undefined;
}

/** Dependencies of admission. */
export interface Admitting {
  readonly database: Queryable;
  readonly counts: GroupedCounts<AdmittedRow>;
  readonly outage: Outage | null;
  readonly tokens: TokenSigner;
  readonly config: Pick<
    Config,
    'RATE_LIMIT_API_KEY' | 'RATE_LIMIT_SDK' | 'RATE_LIMIT_DEVELOPER' | 'DEVELOPER_SESSION_DAYS'
  >;
}

/**
 * Admits a credential and counts the request. An invalid credential is not counted and has no window. While no primary
 * can be reached, reads are admitted by the replica and counted in this process.
 */
export async function admit(admitting: Admitting, credential: Credential): Promise<Admission> {
  try {
    return await admitOnPrimary(admitting, credential);
  } catch (error) {
    const { outage } = admitting;
    if (outage === null || credential.read_only !== true || !isAway(error)) throw error;
    if (!(await hasAll(outage.replica).catch(() => false))) throw error;
    return admitOnReplica(admitting, outage, credential);
  }
}

async function admitOnReplica(
  { tokens, config }: Admitting,
  { replica, windows }: Outage,
  credential: Credential,
): Promise<Admission> {
  const count = (row: AdmittedRow | null, kind: Caller['kind'], limit: number) => {
    if (row === null) return dead;
    const subject = kind === 'api-key' ? row.id : (row.user_id ?? row.developer_id ?? row.id);
    return admission({ ...row, ...windows.hit(subject, Date.now()) }, kind, limit);
  };
  if ('api_key_hash' in credential)
    return count(await findKey(replica, credential.api_key_hash), 'api-key', config.RATE_LIMIT_API_KEY);
  if ('session_hash' in credential)
    return count(
      await findSession(replica, credential.session_hash, credential.project ?? null),
      'developer',
      config.RATE_LIMIT_DEVELOPER,
    );
  const claims = tokens.verify(credential.token);
  if (claims === null) return dead;
  const limit = claims.kind === 'sdk' ? config.RATE_LIMIT_SDK : config.RATE_LIMIT_DEVELOPER;
  const row = await findFamily(replica, claims.family, credential.project ?? null);
  return count(limitedTo(claims, row), claims.kind, limit);
}

async function admitOnPrimary(
  { database, counts, tokens, config }: Admitting,
  credential: Credential,
): Promise<Admission> {
  if ('api_key_hash' in credential) {
    const limit = config.RATE_LIMIT_API_KEY;
    const hash = credential.api_key_hash;
    const count = () =>
      counts.add(`key ${hash}`, (requests) => admitKey(database, hash, { requests, limit }));
    return admission(await (credential.uncounted ? findKey(database, hash) : count()), 'api-key', limit);
  }
  if ('session_hash' in credential) {
    const limit = config.RATE_LIMIT_DEVELOPER;
    const { session_hash: hash, project = null } = credential;
    const row = await counts.add(`session ${hash} ${project ?? ''}`, (requests) =>
      admitSession(database, hash, project, { requests, limit }, sessionLifetimeOf(config)),
    );
    return admission(row, 'developer', limit);
  }
  const claims = tokens.verify(credential.token);
  if (claims === null) return dead;
  const limit = claims.kind === 'sdk' ? config.RATE_LIMIT_SDK : config.RATE_LIMIT_DEVELOPER;
  const { family } = claims;
  const { project = null } = credential;
  const count = () =>
    counts.add(`family ${family} ${project ?? ''}`, (requests) =>
      admitFamily(database, family, project, { requests, limit }),
    );
  const row = await (credential.uncounted ? findFamily(database, family, project) : count());
  return admission(limitedTo(claims, row), claims.kind, limit);
}

// The scopes of a token are in its claims.
const limitedTo = ({ scopes }: Claims, row: AdmittedRow | null) => (row === null ? null : { ...row, scopes });

const dead: Admission = { caller: null, addresses: null, allowed: false, limit: 0, remaining: 0, reset: 0 };

function admission(row: AdmittedRow | null, kind: Caller['kind'], usualLimit: number): Admission {
  if (row === null) return dead;
  const { count, reset, addresses, own_limit, lacks_second_factor, ...holder } = row;
  const limit = own_limit ?? usualLimit;
  return {
    caller: { kind, ...holder, ...(lacks_second_factor ? { lacks_second_factor } : {}) },
    addresses,
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    reset,
  };
}
