import type { Config } from '../../config.ts';
import type { Admission, Caller } from '../../contracts/auth/schemas.ts';
import type { Queryable } from '../../mixins/database.ts';
import { type AdmittedRow, admitFamily, admitKey } from './queries/admit.ts';
import type { TokenSigner } from './tokens.ts';

/** A credential of a request: the hash of an API key, or a token. */
export type Credential = { readonly api_key_hash: string } | { readonly token: string };

/** Dependencies of admission. */
export interface Admitting {
  readonly database: Queryable;
  readonly tokens: TokenSigner;
  readonly config: Pick<Config, 'RATE_LIMIT_API_KEY' | 'RATE_LIMIT_SDK' | 'RATE_LIMIT_DEVELOPER'>;
}

/** Admits a credential and counts the request. An invalid credential is not counted and has no window. */
export async function admit(
  { database, tokens, config }: Admitting,
  credential: Credential,
): Promise<Admission> {
  if ('api_key_hash' in credential) {
    const limit = config.RATE_LIMIT_API_KEY;
    return admission(await admitKey(database, credential.api_key_hash, limit), 'api-key', limit);
  }
  const claims = tokens.verify(credential.token);
  if (claims === null) return dead;
  const limit = claims.kind === 'sdk' ? config.RATE_LIMIT_SDK : config.RATE_LIMIT_DEVELOPER;
  return admission(await admitFamily(database, claims.family, limit), claims.kind, limit);
}

const dead: Admission = { caller: null, allowed: false, limit: 0, remaining: 0, reset: 0 };

function admission(row: AdmittedRow | null, kind: Caller['kind'], limit: number): Admission {
  if (row === null) return dead;
  const { id, developer_id, user_id, count, reset } = row;
  return {
    caller: { kind, id, developer_id, user_id },
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    reset,
  };
}
