import type { Config } from '../../../config.ts';
import type { Admission, Caller, LimitWindow } from '../../../contracts/auth/schemas.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { instantOrNull } from '../../../domain/time/time.ts';
import { leaveDatabase, type Queryable, sharedDatabase } from '../../../mixins/database/database.ts';
import { hasAll, isAway } from '../../../mixins/database/primary-away.ts';
import type { Mixin } from '../../../runtime/environment.ts';
import type { Claims, TokenSigner } from '../rules/access-tokens.ts';
import { sessionLifetimeOf } from '../rules/lifetimes.ts';
import {
  type AdmittedRow,
  admitFamily,
  admitKey,
  admitSession,
  findFamily,
  findKey,
  findSession,
  selectWindow,
  type WindowRow,
} from '../tables/admission.ts';
import type { GroupedCounts } from '../work/grouped-counts.ts';

/** A credential of a request: the hash of an API key, a token, or the hash of the cookie of a console session. */
type Credential = ParamsOf<typeof auth, 'admit'>;

/** Dependencies of admission. */
interface Admitting {
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

/** What admits reads while no primary can be reached. */
interface Outage {
  /** The replica of DATABASE_READ_URL. */
  readonly replica: Queryable;
  readonly windows: MemoryWindows;
}

/** The replica of DATABASE_READ_URL for admission during an outage of the primary; null if it is not set. */
export function outage(): Mixin<Outage | null> {
  return (starting) => {
    const { DATABASE_READ_URL: url } = starting.config;
    if (url === undefined) return null;
    const replica = sharedDatabase(url, { server: 'replica', planning: 'each' }, starting);
    starting.onStop(() => leaveDatabase(replica));
    return { replica, windows: new MemoryWindows() };
  };
}

const windowMs = 60_000;

interface Window {
  startedAt: number;
  count: number;
}

/** Counts the requests of an outage by subject in this process. A window lasts 60 s from its first request. */
export class MemoryWindows {
  readonly #windows = new Map<string, Window>();

  /** Counts a request. `reset` is when the window ends, in Unix seconds. */
  hit(subject: string, now: number): { readonly count: number; readonly reset: number } {
    let window = this.#windows.get(subject);
    if (window === undefined || now - window.startedAt >= windowMs || now < window.startedAt) {
      window = { startedAt: now, count: 0 };
      // The window is inserted again, so that the map stays ordered by the start of the windows.
      this.#windows.delete(subject);
      this.#windows.set(subject, window);
      this.#forget(now);
    }
    window.count += 1;
    return { count: window.count, reset: Math.ceil((window.startedAt + windowMs) / 1000) };
  }

  get size(): number {
    return this.#windows.size;
  }

  #forget(now: number): void {
    for (const [subject, { startedAt }] of this.#windows) {
      if (now - startedAt < windowMs) return;
      this.#windows.delete(subject);
    }
  }
}

type Limits = Pick<Config, 'RATE_LIMIT_API_KEY' | 'RATE_LIMIT_SDK' | 'RATE_LIMIT_DEVELOPER'>;

/** The state of a rate-limit window; the read is not counted. */
export async function readWindow(
  database: Queryable,
  limits: Limits,
  subjectId: string,
): Promise<LimitWindow> {
  const { kind, used, reset_at } = await selectWindow(database, subjectId);
  const limit = limitOf(limits, kind);
  return {
    kind,
    limit,
    used: Math.min(used, limit), // the stored count is greater after a refusal
    remaining: Math.max(0, limit - used),
    reset_at: instantOrNull(reset_at),
  };
}

function limitOf(limits: Limits, kind: WindowRow['kind']): number {
  if (kind === 'api-key') return limits.RATE_LIMIT_API_KEY;
  return kind === 'developer' ? limits.RATE_LIMIT_DEVELOPER : limits.RATE_LIMIT_SDK;
}
