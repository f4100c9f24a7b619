// The webhook endpoint of the sandbox's receiver. It is registered once per data folder and database. What the operator
// changes, disables or deletes stays so.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { WebhookEndpoint } from '../../contracts/webhooks/schemas.ts';
import { type Call, callAs } from '../../runtime/environment.ts';
import { writePrivate } from '../database/secrets.ts';

/** The last segment of the endpoint's address, which identifies it, and its secret. */
const Kept = z.object({
  path: z.string(),
  secret: z.string().nullable(),
  /** The oldest developer account: another database has another one. */
  database: z.string().nullable(),
});
type Kept = z.infer<typeof Kept>;

/** A registered endpoint. `note` says why no messages arrive. */
export interface Registered {
  readonly secret: string | null;
  readonly note: string | null;
}

/** Where a running receiver takes messages, and how its secret is replaced. */
export interface EndpointReceiver {
  readonly url: string;
  useSecret(secret: string): void;
}

const fileIn = (dataDir: string) => join(dataDir, 'receiver.json');
const actor = 'system:sandbox';

/** The kept path and secret. The path is kept before the endpoint is created, so that no crash leads to a second one. */
export function keptEndpoint(dataDir: string): Kept {
  const kept = readKept(dataDir);
  if (kept !== null) return kept;
  const made = { path: randomUUID(), secret: null, database: null };
  keep(dataDir, made);
  return made;
}

/** Ensures that the receiver has an endpoint whose messages it verifies, unless the operator disabled or deleted it. */
export async function registerEndpoint(
  anyCall: Call,
  dataDir: string,
  receiver: EndpointReceiver,
): Promise<Registered> {
  const call = callAs(anyCall, actor);
  const kept = keptEndpoint(dataDir);
  const database = (await call('auth.listDevelopers', {}))[0]?.id ?? null;
  const endpoint = await findEndpoint(call, kept.path);
  const use = (secret: string) => {
    keep(dataDir, { ...kept, secret, database });
    receiver.useSecret(secret);
    return secret;
  };
  if (endpoint !== undefined) return updateEndpoint(call, endpoint, { ...receiver, kept: kept.secret, use });
  if (kept.secret !== null && kept.database === database) return { secret: null, note: deletedNote(dataDir) };
  const description = 'Sandbox: what `npm run listen` prints';
  const created = await call('webhooks.createEndpoint', { url: receiver.url, description });
  use(created.secret);
  await isReceived(call, created.id);
  return { secret: created.secret, note: null };
}

/** Deletes the endpoint of an earlier start with a receiver, so that no messages are kept for it. */
export async function removeEndpoint(anyCall: Call, dataDir: string): Promise<void> {
  const kept = readKept(dataDir);
  if (kept === null) return;
  const call = callAs(anyCall, actor);
  const endpoint = await findEndpoint(call, kept.path);
  if (endpoint !== undefined) await call('webhooks.removeEndpoint', { endpoint_id: endpoint.id });
  rmSync(fileIn(dataDir), { force: true });
}

interface Update {
  readonly url: string;
  readonly kept: string | null;
  use(secret: string): string;
}

async function updateEndpoint(call: Call, endpoint: WebhookEndpoint, update: Update): Promise<Registered> {
  const { id: endpoint_id, enabled, disabled_reason } = endpoint;
  if (endpoint.url !== update.url) await call('webhooks.updateEndpoint', { endpoint_id, url: update.url });
  if (!enabled && disabled_reason === null) return { secret: update.kept, note: disabledNote(endpoint_id) };
  const isKnown = update.kept !== null && (await isReceived(call, endpoint_id));
  const secret = isKnown ? update.kept : await rotated(call, endpoint_id, update);
  if (!enabled) await call('webhooks.updateEndpoint', { endpoint_id, enabled: true });
  return { secret, note: null };
}

// The secret was rotated by somebody else, or a crash came between its creation and its file.
async function rotated(call: Call, endpoint_id: string, { use }: Update): Promise<string> {
  const { secret } = await call('webhooks.rotateSecret', { endpoint_id });
  return use(secret);
}

/** Sends a test message. False if the receiver cannot verify it. */
async function isReceived(call: Call, endpoint_id: string): Promise<boolean> {
  const { attempts } = await call('webhooks.testEndpoint', { endpoint_id });
  return attempts.at(-1)?.status !== 401;
}

async function findEndpoint(call: Call, path: string): Promise<WebhookEndpoint | undefined> {
  const endpoints = await call('webhooks.listEndpoints', {});
  return endpoints.find(({ url }) => new URL(url).pathname === `/${path}`);
}

function readKept(dataDir: string): Kept | null {
  try {
    return Kept.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

function keep(dataDir: string, kept: Kept): void {
  writePrivate(fileIn(dataDir), JSON.stringify(kept));
}

const disabledNote = (id: string) =>
  `The sandbox receives no webhooks: its endpoint ${id} is disabled. PATCH /webhook-endpoints/${id} {"enabled": true} enables it.`;
const deletedNote = (dataDir: string) =>
  `The sandbox receives no webhooks: its endpoint was deleted. Without ${fileIn(dataDir)} the next start registers a new one.`;
