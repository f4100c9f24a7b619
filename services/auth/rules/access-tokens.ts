import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Tokens } from '../../../contracts/auth/schemas.ts';
import type { KeyScope } from '../../../domain/access.ts';
import { EmbedOrigin } from '../../../domain/embed-origin.ts';

/** The subject of tokens: a user's id (`sdk`) or a developer's. `issuedBy` is for the audit. */
interface Grant {
  readonly kind: 'sdk' | 'developer';
  readonly subject: string;
  readonly familyId: string;
  /** `admin:{developer_id}` or `app:{app_id}`. */
  readonly issuedBy: string;
}

/** The subject of the token of an embedded page: a user's id. Only pages of `origins` may show it. */
interface EmbedGrant extends Omit<Grant, 'kind'> {
  readonly origins: readonly string[];
  /** The IANA name of the user's time zone, for the page, which may not read the user; null if none is set. */
  readonly timeZone: string | null;
}

/** The claims of an access token with a valid signature. */
export interface Claims {
  readonly kind: 'sdk' | 'developer';
  readonly family: string;
  /** What the token is limited to; null: to nothing. */
  readonly scopes: KeyScope[] | null;
  /** The origins whose pages may show the embedded page that the token is of; null for any other token. */
  readonly origins: readonly string[] | null;
}

/** Signs and verifies access tokens. */
export interface TokenSigner {
  /** `secondsLeft`: the remaining lifetime of the family, which bounds that of the access token. */
  sign(grant: Grant, refreshToken: string, secondsLeft?: number): Tokens;
  /** The token of an embedded page, which is valid for `seconds` from `now`, in Unix seconds. */
  signEmbed(grant: EmbedGrant, seconds: number, now: number): string;
  /** The claims of an unexpired token that was signed with one of the secrets; otherwise null. */
  verify(token: string): Claims | null;
}

const algorithm = 'HS256';
const developerMinutes = 60;
const subject = { sub: z.uuid(), family: z.uuid() };
// Tokens with a scope have a kind of their own. Processes of an earlier version, which ignore scopes, refuse the kind.
const Payload = z.discriminatedUnion('kind', [
  z.object({ ...subject, kind: z.enum(['sdk', 'developer']) }),
  z.object({
    ...subject,
    kind: z.literal('embed'),
    scope: z.literal('read'),
    origins: z.array(EmbedOrigin).min(1),
  }),
]);
type Payload = z.infer<typeof Payload>;

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
    signEmbed: ({ origins, timeZone, ...grant }, expiresIn, now) => {
      const more = { scope: 'read', origins, time_zone: timeZone, iat: now };
      return sign(first, { ...grant, kind: 'embed' }, expiresIn, more);
    },
    verify: (token) => verify(secrets, token),
  };
}

function sign(
  secret: string,
  { kind, subject, familyId, issuedBy }: Omit<Grant, 'kind'> & { readonly kind: Payload['kind'] },
  seconds: number,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return jwt.sign({ kind, family: familyId, issued_by: issuedBy, ...more }, secret, {
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
    if (payload.success) return toClaims(payload.data);
  }
  return null;
}

function toClaims(payload: Payload): Claims {
  const { family } = payload;
  if (payload.kind !== 'embed') return { kind: payload.kind, family, scopes: null, origins: null };
  return { kind: 'sdk', family, scopes: [payload.scope], origins: payload.origins };
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
