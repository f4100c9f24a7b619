import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Tokens } from '../../../contracts/auth/schemas.ts';

/** The subject of tokens: a user's id (`sdk`) or a developer's. `issuedBy` is for the audit. */
export interface Grant {
  readonly kind: 'sdk' | 'developer';
  readonly subject: string;
  readonly familyId: string;
  /** `admin:{developer_id}` or `app:{app_id}`. */
  readonly issuedBy: string;
}

/** The claims of an access token with a valid signature. */
export interface Claims {
  readonly kind: 'sdk' | 'developer';
  readonly family: string;
}

/** Signs and verifies access tokens. */
export interface TokenSigner {
  /** `secondsLeft`: the remaining lifetime of the family, which bounds that of the access token. */
  sign(grant: Grant, refreshToken: string, secondsLeft?: number): Tokens;
  /** The claims of an unexpired token that was signed with one of the secrets; otherwise null. */
  verify(token: string): Claims | null;
}

const algorithm = 'HS256';
const developerMinutes = 60;
const Payload = z.object({ sub: z.uuid(), kind: z.enum(['sdk', 'developer']), family: z.uuid() });

/** The signer of JWT_SECRET: the first secret signs, all secrets verify. @throws if the setting is missing */
export function tokenSignerOf(config: Pick<Config, 'JWT_SECRET' | 'SDK_TOKEN_MINUTES'>): TokenSigner {
  const secrets = config.JWT_SECRET ?? [];
  const [first] = secrets;
  if (first === undefined) throw new Error('JWT_SECRET is not set');
  const seconds = { sdk: config.SDK_TOKEN_MINUTES * 60, developer: developerMinutes * 60 };
  return {
    sign: (grant, refreshToken, secondsLeft = Number.POSITIVE_INFINITY) => {
      const expiresIn = Math.max(1, Math.floor(Math.min(seconds[grant.kind], secondsLeft)));
      const access_token = sign(first, grant, expiresIn);
      return { access_token, token_type: 'bearer', expires_in: expiresIn, refresh_token: refreshToken };
    },
    verify: (token) => verify(secrets, token),
  };
}

function sign(secret: string, { kind, subject, familyId, issuedBy }: Grant, seconds: number): string {
  return jwt.sign({ kind, family: familyId, issued_by: issuedBy }, secret, {
    algorithm,
    subject,
    expiresIn: seconds,
    jwtid: randomUUID(),
    keyid: keyIdOf(secret),
  });
}

function verify(secrets: readonly string[], token: string): Claims | null {
  for (const secret of secrets) {
    const payload = Payload.safeParse(claimsOf(token, secret));
    if (payload.success) return payload.data;
  }
  return null;
}

function claimsOf(token: string, secret: string): unknown {
  try {
    return jwt.verify(token, secret, { algorithms: [algorithm] });
  } catch {
    return null;
  }
}

function keyIdOf(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8);
}
