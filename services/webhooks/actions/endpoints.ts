import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Config } from '../../../config.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type {
  EndpointOfKey,
  NewWebhookEndpoint,
  WebhookEndpoint,
} from '../../../contracts/webhooks/schemas.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { isPublicAddress } from '../../../runtime/http/public-address.ts';
import { projectOf } from '../../../runtime/user-project.ts';
import { newSecret } from '../rules/signatures.ts';
import {
  deleteEndpoint,
  deleteEndpointsOfProject,
  disableEndpointsOfKeys,
  type EndpointRow,
  type EndpointValues,
  insertDeletedKeys,
  insertEndpoint,
  isDeletedKey,
  lockEndpoints,
  mostEndpoints,
  replaceSealedSecrets,
  rotateSecret,
  selectEndpoint,
  selectEndpoints,
  selectEndpointsOfKeys,
  selectSecretsNotSealedWith,
  updateEndpoint,
} from '../tables/endpoints.ts';
import { insertEndpointDisabled } from '../tables/pending-changes.ts';
import { enqueueMessageDeletion } from '../work/retention.ts';

interface EndpointDeps {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly config: Config;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
}

type EndpointChange = { readonly [K in keyof EndpointValues]?: EndpointValues[K] | undefined };

const presets: Omit<EndpointValues, 'url'> = {
  description: null,
  event_types: null,
  include_data: false,
  max_per_second: null,
  enabled: true,
};

/** Creates an endpoint. Only this answer contains its secret. @throws WEBHOOK_ENDPOINTS_FULL (409) */
export async function createEndpoint(
  { database, cipher, config, origin, meta }: EndpointDeps,
  request: EndpointChange & Pick<EndpointValues, 'url'>,
): Promise<NewWebhookEndpoint> {
  checkEndpointUrl(request.url, config);
  const id = randomUUID();
  const secret = newSecret();
  const values = merged({ ...presets, url: request.url }, request);
  const row = await database.transaction(async (transaction) => {
    const api_key_id = await keyOf(transaction, meta.caller);
    const sealed = cipher.encrypt(secret, id);
    const inserted = await insertEndpoint(
      transaction,
      projectOf(meta),
      id,
      { ...values, api_key_id },
      sealed,
    );
    if (inserted === undefined) throw new ServiceError('WEBHOOK_ENDPOINTS_FULL');
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.created', subjectId: id });
    return inserted;
  });
  return withSecret(row, secret);
}

/** Returns all endpoints, oldest first. */
export async function listEndpoints(database: Database, project: string): Promise<WebhookEndpoint[]> {
  const rows = await selectEndpoints(database, project);
  return rows.slice(0, mostEndpoints).map(toEndpoint);
}

/** Returns an endpoint. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404) */
export async function findEndpoint(
  database: Queryable,
  project: string,
  id: string,
): Promise<WebhookEndpoint> {
  return toEndpoint(requireRow(await selectEndpoint(database, project, id)));
}

/** Changes an endpoint. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404) */
export async function changeEndpoint(
  { database, config, origin, meta }: EndpointDeps,
  id: string,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  if (change.url !== undefined) checkEndpointUrl(change.url, config);
  const row = await database.transaction(async (transaction) => {
    const api_key_id = await keyOf(transaction, meta.caller);
    const before = requireRow(await selectEndpoint(transaction, projectOf(meta), id, true));
    const values = { ...merged(before, change), api_key_id };
    const after = requireRow(await updateEndpoint(transaction, id, values));
    const details = { fields: fieldNames.filter((name) => change[name] !== undefined) };
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.updated', subjectId: id, details });
    return after;
  });
  return toEndpoint(row);
}

/** Deletes an endpoint. A job deletes its messages. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404) */
export async function removeEndpoint(
  { database, origin, meta }: EndpointDeps,
  id: string,
): Promise<WebhookEndpoint> {
  const row = await database.transaction(async (transaction) => {
    await findEndpoint(transaction, projectOf(meta), id);
    const deleted = requireRow(await deleteEndpoint(transaction, id));
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.deleted', subjectId: id });
    await enqueueMessageDeletion(transaction, id);
    return deleted;
  });
  return toEndpoint(row);
}

/** Replaces the secret. Only this answer contains the new one. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404) */
export async function replaceSecret(
  { database, cipher, origin, meta }: EndpointDeps,
  id: string,
): Promise<NewWebhookEndpoint> {
  const secret = newSecret();
  const row = await database.transaction(async (transaction) => {
    await findEndpoint(transaction, projectOf(meta), id);
    const rotated = requireRow(await rotateSecret(transaction, id, cipher.encrypt(secret, id)));
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.secret_rotated', subjectId: id });
    return rotated;
  });
  return withSecret(row, secret);
}

const fieldNames = [
  'url',
  'description',
  'event_types',
  'include_data',
  'max_per_second',
  'enabled',
] as const;

// A field that is undefined keeps its value.
function merged(before: EndpointValues, change: EndpointChange): EndpointValues {
  return {
    url: change.url ?? before.url,
    description: change.description === undefined ? before.description : change.description,
    event_types: change.event_types === undefined ? before.event_types : change.event_types,
    include_data: change.include_data ?? before.include_data,
    max_per_second: change.max_per_second === undefined ? before.max_per_second : change.max_per_second,
    enabled: change.enabled ?? before.enabled,
  };
}

function requireRow(row: EndpointRow | undefined): EndpointRow {
  if (row === undefined) throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
  return row;
}

function withSecret(row: EndpointRow, secret: string): NewWebhookEndpoint {
  return { ...toEndpoint(row), secret, former_secret_until: instantOrNull(row.former_until) };
}

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    event_types: row.event_types,
    include_data: row.include_data,
    max_per_second: row.max_per_second,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    api_key_id: row.api_key_id,
    failing_since: instantOrNull(row.failing_since),
    last_delivered_at: instantOrNull(row.last_delivered_at),
    created_at: formatInstant(row.created_at.getTime()),
    updated_at: formatInstant(row.updated_at.getTime()),
    messages_waiting: row.messages_waiting,
    oldest_waiting_message_seconds: row.oldest_waiting_message_seconds,
  };
}

/** Deletes the endpoints of a project that is deleted; jobs delete their messages. Returns their number. */
export function deleteEndpointsOf(database: Database, project: string): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockEndpoints(transaction);
    const deleted = await deleteEndpointsOfProject(transaction, project);
    for (const id of deleted) await enqueueMessageDeletion(transaction, id);
    return deleted.length;
  });
}

const firstFreePort = 1024;

/**
 * Refuses addresses that no message can be sent to. The addresses of a name are checked at each connection.
 * @throws VALIDATION_FAILED (422)
 */
function checkEndpointUrl(
  text: string,
  { WEBHOOK_ENDPOINT_ORIGINS }: Pick<Config, 'WEBHOOK_ENDPOINT_ORIGINS'>,
): void {
  const url = new URL(text);
  if (WEBHOOK_ENDPOINT_ORIGINS.includes(url.origin)) return;
  const refuse = (message: string) => validationFailed([{ field: 'url', message }]);
  if (url.protocol !== 'https:')
    throw refuse('must be https, unless its origin is in the setting WEBHOOK_ENDPOINT_ORIGINS');
  // Lower ports belong to other protocols. The default port of https is an empty string.
  if (url.port !== '' && Number(url.port) < firstFreePort)
    throw refuse('must have the port 443 or one of 1024 and above');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isLocal) throw refuse('must be public, unless its origin is in the setting WEBHOOK_ENDPOINT_ORIGINS');
}

/**
 * Disables the endpoints of deleted keys, unless `keep_endpoints` is true, and returns them. A repeated call disables nothing:
 * an endpoint that was enabled again stays enabled.
 */
export function endKeys(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  { key_ids, keep_endpoints }: { readonly key_ids: readonly string[]; readonly keep_endpoints: boolean },
): Promise<EndpointOfKey[]> {
  return database.transaction(async (transaction) => {
    const isNew = await insertDeletedKeys(transaction, key_ids);
    const disabled = isNew && !keep_endpoints ? await disableEndpointsOfKeys(transaction, key_ids) : [];
    const details = { reason: 'key_deleted' };
    for (const subjectId of disabled)
      await recordAudit(transaction, origin, { action: 'webhook_endpoint.disabled', subjectId, details });
    for (const id of disabled) await insertEndpointDisabled(transaction, id, 'key_deleted');
    const rows = await selectEndpointsOfKeys(transaction, key_ids);
    return rows.map(({ id, url, enabled }) => ({ id, url, enabled }));
  });
}

/**
 * The API key of a caller who creates or changes an endpoint; null for others. @throws UNAUTHENTICATED (401) if the key was
 * deleted after the request was admitted
 */
async function keyOf(transaction: Queryable, caller: Caller | null | undefined): Promise<string | null> {
  if (caller?.kind !== 'api-key') return null;
  if (await isDeletedKey(transaction, caller.id))
    throw new ServiceError('UNAUTHENTICATED', 'The API key was deleted.');
  return caller.id;
}

/**
 * Encrypts secrets that an earlier ENCRYPTION_KEY encrypted with the first one. Returns the number of endpoints. Secrets
 * that no configured key decrypts are unchanged.
 */
export async function resealSecrets(database: Database, cipher: Cipher): Promise<number> {
  let resealed = 0;
  for (const sealed of await selectSecretsNotSealedWith(database, cipher.newest)) {
    const reseal = (value: string) => cipher.encrypt(cipher.decrypt(value, sealed.id), sealed.id);
    try {
      const secret = reseal(sealed.secret);
      const former_secret = sealed.former_secret === null ? null : reseal(sealed.former_secret);
      if (await replaceSealedSecrets(database, sealed, { secret, former_secret })) resealed += 1;
    } catch {
      // No configured key decrypts them.
    }
  }
  return resealed;
}
