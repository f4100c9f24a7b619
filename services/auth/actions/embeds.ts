import { randomUUID } from 'node:crypto';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import type { TokenSigner } from '../rules/access-tokens.ts';
import { wrongCredentials } from '../rules/password-rules.ts';
import { acting } from '../tables/acting.ts';
import { findFamily } from '../tables/admission.ts';
import { type EmbedMaker, insertFamilyOfEmbed } from '../tables/families.ts';
import type { AuthDeps } from '../work/deps.ts';
import { callingDeveloper } from './developers.ts';
import { keepUnlessGone } from './tokens.ts';

type EmbedDeps = Pick<AuthDeps, 'config' | 'database' | 'tokens' | 'call' | 'origin' | 'meta'>;

/** A request for an embedded page. */
type EmbedRequest = ParamsOf<typeof auth, 'createEmbed'>;

/**
 * Creates the address of an embedded page. Its token is the only one of its family and is stored nowhere.
 * @throws FORBIDDEN (403), USER_NOT_FOUND (404)
 */
export async function createEmbed(
  { config, database, tokens, call, origin, meta }: EmbedDeps,
  { user_id, origins, expires_in_seconds }: EmbedRequest,
): Promise<{ url: string; expires_at: string }> {
  const maker = makerOf(meta);
  const familyId = randomUUID();
  const now = Math.floor(Date.now() / 1000);
  const seconds = await acting(database, origin, async (on) => {
    const lasts = await insertFamilyOfEmbed(on, { familyId, seconds: expires_in_seconds }, user_id, maker);
    if (lasts === null) throw wrongCredentials();
    const entry = { userId: user_id, subjectId: familyId, details: { origins } };
    await recordAudit(on, origin, { ...entry, action: 'embed.created' });
    return lasts;
  });
  const { time_zone: timeZone } = await keepUnlessGone({ database, call }, user_id, familyId);
  const grant = { subject: user_id, familyId, issuedBy: maker.issuedBy, origins, timeZone };
  const token = tokens.signEmbed(grant, seconds, now);
  const url = `${publicUrl(config, meta.gateway_url)}/console/embed/${token}`;
  return { url, expires_at: formatInstant((now + seconds) * 1000) };
}

function makerOf(meta: Meta): EmbedMaker {
  const { caller } = meta;
  if (caller?.kind === 'api-key')
    return { kind: caller.kind, id: caller.id, issuedBy: `api_key:${caller.id}` };
  const { developer_id: id } = callingDeveloper(meta);
  return { kind: 'developer', id, issuedBy: `admin:${id}` };
}

/** The origins whose pages may show an embedded page; null if the token is not of one, or has ended. */
export async function originsOfEmbed(
  { tokens, database }: { readonly tokens: TokenSigner; readonly database: Queryable },
  token: string,
): Promise<string[] | null> {
  const claims = tokens.verify(token);
  if (claims === null || claims.origins === null) return null;
  return (await findFamily(database, claims.family, null)) === null ? null : [...claims.origins];
}
