import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { Language, StaleReason } from '../../contracts/connect/schemas.ts';
import { ServiceError, userNotFound } from '../../domain/errors.ts';
import { formatInstant } from '../../domain/time/time.ts';
import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import { type ProviderName, providerNames, providers } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call, Meta } from '../../runtime/environment.ts';
import { isConfigured, publicUrl } from '../../runtime/provider-settings.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { clientOf } from './client.ts';
import { insertSession } from './queries/connect-sessions.ts';
import { checkRedirect } from './redirects.ts';

/** A request for a link to the connect page. */
export interface SessionRequest {
  readonly user_id?: string | undefined;
  readonly external_user_id?: string | undefined;
  readonly providers?: readonly ProviderName[] | undefined;
  readonly redirect_uri?: string | undefined;
  readonly language?: Language | undefined;
  readonly reason?: StaleReason | undefined;
}

interface Deps {
  readonly config: Config;
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
}

/**
 * Creates a session of the connect page. The token is stored as a hash.
 * @throws VALIDATION_FAILED (422), FORBIDDEN (403), USER_NOT_FOUND (404), PROVIDER_NOT_CONFIGURED (409)
 */
export async function createSession(
  { config, database, call, origin, meta }: Deps,
  request: SessionRequest,
): Promise<{ url: string; token: string; expires_at: string }> {
  checkRedirect(config, request.redirect_uri);
  const userId = await userOf(call, meta, request);
  const own = await call('users.ownClients', { user_id: userId });
  const providers = providersOf(config, request.providers, own.providers);
  const brand = await call('auth.connectBrand', { project_id: projectOf(meta) });
  const token = randomBytes(32).toString('base64url');
  const session = {
    id: randomUUID(),
    tokenHash: createHash('sha256').update(token).digest('hex'),
    userId,
    providers,
    redirectUri: request.redirect_uri ?? null,
    language: request.language ?? null,
    reason: request.reason ?? null,
    ...{ appName: brand.connect_name, appColour: brand.connect_colour, appLogo: brand.connect_logo },
  };
  const expiresAt = await database.transaction(async (transaction) => {
    const entry = { userId, subjectId: session.id, details: { providers } };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.session_created' });
    return insertSession(transaction, session);
  });
  const url = `${publicUrl(config, meta.gateway_url)}/connect/${token}`;
  return { url, token, expires_at: formatInstant(expiresAt.getTime()) };
}

// A user token that names another user is refused alike whether or not that user exists.
async function userOf(call: Call, { caller }: Meta, request: SessionRequest): Promise<string> {
  const own = caller?.kind === 'sdk' ? caller.user_id : null;
  const refused = new ServiceError('FORBIDDEN', 'This token connects its own user only.');
  if (own !== null && request.user_id !== undefined && request.user_id !== own) throw refused;
  if (request.user_id !== undefined) return (await call('users.get', { user_id: request.user_id })).id;
  const external_user_id = request.external_user_id ?? '';
  const [found] = (await call('users.list', { external_user_id, limit: 1 })).items;
  if (own !== null && found?.id !== own) throw refused;
  if (found === undefined) throw userNotFound(`with the external_user_id ${external_user_id}`);
  return found.id;
}

// `own` are providers at which the project has credentials.
function providersOf(
  config: Config,
  wanted: readonly ProviderName[] | undefined,
  own: readonly ProviderName[],
): readonly ProviderName[] {
  const isUsable = (name: ProviderName) => own.includes(name) || isConfigured(config, name);
  const withPage = (name: ProviderName) => providers[name].oauth !== null && isUsable(name);
  const offered = wanted ?? providerNames.filter(withPage);
  if (offered.length === 0) throw new ServiceError('PROVIDER_NOT_CONFIGURED', 'No provider is configured.');
  const hasNeither = (name: ProviderName) => providers[name].backfill.from === 'files';
  if (offered.some(hasNeither)) throw new ServiceError('CONNECTED_BY_APP');
  const ofInstallation = offered.filter((name) => providers[name].oauth !== null && !own.includes(name));
  for (const provider of ofInstallation) clientOf(config, provider); // throws if it is not configured
  return [...new Set(offered)];
}
