import { randomUUID } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { ProviderCredentials } from '../../../contracts/users/provider-clients.ts';
import type { users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { type ProviderName, providerNames, providers } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { eachRegion, settingsOf } from '../../../runtime/provider-settings.ts';
import {
  type ClientPlace,
  type ClientRow,
  eraseSecret,
  findClientId,
  lockClients,
  selectClients,
  upsertClient,
} from '../tables/provider-clients.ts';

interface Deps {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

/** Which credentials a project uses at each provider. */
export async function listCredentials(
  { database, config }: { readonly database: Queryable; readonly config: Config },
  project: string,
): Promise<ProviderCredentials[]> {
  const own = await selectClients(database, project);
  return providerNames.map((name) =>
    toCredentials(
      config,
      name,
      own.find(({ provider }) => provider === name),
    ),
  );
}

/**
 * Sets the credentials of a project at a provider. Those of another client id are removed: connections name their client, so
 * that no token is sent to another one. @throws PROVIDER_CREDENTIALS_REFUSED (422), PROJECT_NOT_FOUND (404)
 */
export async function setCredentials(
  { database, cipher, config, origin }: Deps,
  { client_id, client_secret, ...place }: ParamsOf<typeof users, 'setCredentials'>,
): Promise<ProviderCredentials> {
  refuseUnsupported(config, place.provider, client_id);
  const row = await database.transaction(async (transaction) => {
    await lockClients(transaction, place);
    const id = (await findClientId(transaction, place, client_id)) ?? randomUUID();
    await eraseSecret(transaction, place, id);
    const sealed = { id, client_id, client_secret: cipher.encrypt(client_secret, id) };
    const client = await upsertClient(transaction, place, sealed);
    if (client === null) throw new ServiceError('PROJECT_NOT_FOUND');
    await note(transaction, origin, 'provider.credentials_set', client);
    return client;
  });
  return toCredentials(config, place.provider, row);
}

/** Removes the credentials of a project at a provider. @throws PROVIDER_CREDENTIALS_NOT_FOUND (404) */
export async function removeCredentials(
  { database, config, origin }: Omit<Deps, 'cipher'>,
  place: ClientPlace,
): Promise<ProviderCredentials> {
  await database.transaction(async (transaction) => {
    await lockClients(transaction, place);
    const [erased] = await eraseSecret(transaction, place);
    if (erased === undefined) throw new ServiceError('PROVIDER_CREDENTIALS_NOT_FOUND');
    await note(transaction, origin, 'provider.credentials_removed', erased);
  });
  return toCredentials(config, place.provider, undefined);
}

// The client of the installation and that of a project are told apart by their client ids.
function refuseUnsupported(config: Config, provider: ProviderName, clientId: string): void {
  const { projectClientRefusal } = providers[provider];
  if (projectClientRefusal !== null)
    throw new ServiceError('PROVIDER_CREDENTIALS_REFUSED', projectClientRefusal);
  if (eachRegion(config, provider).some((settings) => settingsOf(settings, provider).clientId === clientId))
    throw new ServiceError(
      'PROVIDER_CREDENTIALS_REFUSED',
      'This is the client of the installation, which a project without credentials of its own uses.',
    );
}

function note(
  transaction: Queryable,
  origin: AuditOrigin,
  action: 'provider.credentials_set' | 'provider.credentials_removed',
  { id, provider, client_id }: ClientRow,
): Promise<void> {
  return recordAudit(transaction, origin, { action, subjectId: id, details: { provider, client_id } });
}

function toCredentials(
  config: Config,
  provider: ProviderName,
  own: ClientRow | undefined,
): ProviderCredentials {
  return {
    provider,
    source: own === undefined ? 'installation' : 'project',
    client_id: own?.client_id ?? settingsOf(config, provider).clientId ?? null,
    updated_at: own === undefined ? null : formatInstant(own.updated_at.getTime()),
    refusal: providers[provider].projectClientRefusal,
  };
}
