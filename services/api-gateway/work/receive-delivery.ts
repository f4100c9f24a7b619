import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { Delivery } from '../../../domain/contract.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { type BodySecretResult, withoutSecret } from '../../../domain/provider/body-secret.ts';
import type { Provider, Webhooks } from '../../../domain/provider/provider.ts';
import { authorizationHeader, bodySecretHeader, userSender } from '../../../mixins/inbox/delivery.ts';
import type { Inbox } from '../../../mixins/inbox/inbox.ts';
import { providerNamed, providers } from '../../../providers/all.ts';
import { callByName } from '../../../runtime/environment.ts';
import { eachRegion, settingsOf } from '../../../runtime/provider-settings.ts';
import { admit, authorise } from './admission.ts';
import { failureToSend, sendJson, setWindow, unavailableFor } from './answer.ts';
import { announcedBytes, bodyBounds, type CountBytes, checkContentType, readBytes } from './body.ts';
import { checkWebhookAccess, type Exchange, limited, type Pipeline } from './exchange.ts';
import { equal } from './webhook-admission.ts';

/**
 * Receives a webhook: checks the required header (401), the size and the content type, stores the delivery in one committed
 * row, and calls the ingest service with the row's id. Once the row is committed the answer is 200, independent of the
 * processing. If the row cannot be written the answer is 500, and the sender retries.
 */
export async function receiveDelivery(
  pipeline: Pipeline,
  exchange: Exchange,
  delivery: Delivery,
): Promise<void> {
  const { req, res, endpoint, call } = exchange;
  const window = await pipeline.windows.webhook.hit(pipeline.addressOf(req), Date.now());
  setWindow(res, window);
  checkClient(req.headers, delivery, pipeline.config);
  if (!window.allowed) throw limited(res, window);
  checkWebhookAccess(pipeline, exchange);
  const { limitBytes } = bodyBounds(pipeline.config, endpoint.route);
  if (announcedBytes(req) > limitBytes) throw new ServiceError('BODY_TOO_LARGE');
  if (req.headers['content-type'] !== undefined) checkContentType(req, endpoint.route.form === true);
  await pipeline.capacity.refuseIfFull(delivery.provider, res);
  const checked = authorizationResult(delivery.provider, req, pipeline.config);
  const origin = { headers: { ...keptHeaders(delivery.provider, req.headers), ...checked } };
  const id = await pipeline.capacity.hold(res, (count) =>
    readAndStore(pipeline, exchange, delivery, origin, count),
  );
  const work = () => callByName(call, endpoint.action, { delivery_id: id });
  const problem = await problemOf(pipeline.inbox, id, work);
  pipeline.inbox.letGo(id);
  if (isError(problem, 'MALFORMED_BODY') || isError(problem, 'VALIDATION_FAILED')) throw problem;
  const answer = (await pipeline.inbox.answerOf(id).catch(() => null)) ?? delivery.pending();
  const status = delivery.statusOf?.(answer) ?? 200;
  if (status === 401) throw new ServiceError('WEBHOOK_NOT_AUTHENTIC');
  if (status === 204) res.writeHead(204).end();
  else sendJson(res, status, answer);
}

const mostCalls = 3;

/**
 * Calls for the work on a delivery and waits for its end; returns its error, or null. A server of the bus that ends takes calls and
 * answers with it. The stored state shows that the work has ended, or has not begun: then it is called for again, which is safe
 * because a delivery is taken once.
 */
export function problemOf(
  inbox: Pick<Inbox, 'stateOf'>,
  id: string,
  work: () => Promise<unknown>,
  everyMs = 2000,
): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  let calls = 1;
  let isOver = false;
  const look = async () => {
    if (isOver) return resolve(null); // an answer that was not lost has come by now
    const state = (await inbox.stateOf(id))?.state;
    isOver = state === 'done' || state === 'dead';
    if (state !== 'ready' || calls >= mostCalls) return;
    calls += 1;
    work().catch(resolve);
  };
  const timer = setInterval(() => look().catch(() => undefined), everyMs);
  work().then(() => resolve(null), resolve);
  return promise.finally(() => clearInterval(timer));
}

/** Who sends a body, and the headers that are kept with the delivery. */
interface Origin {
  /** The user of an upload, as `userSender`. */
  readonly sender?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body with its origin. */
interface Received extends Origin {
  readonly body: Buffer;
}

/** Reads a body and stores it as a delivery; returns its id. */
async function readAndStore(
  pipeline: Pipeline,
  { req, endpoint }: Exchange,
  delivery: Delivery,
  origin: Origin,
  count: CountBytes,
): Promise<string> {
  const body = await readBytes(req, { ...bodyBounds(pipeline.config, endpoint.route), count });
  if (body.length === 0 && delivery.anyBody !== true)
    throw new ServiceError('MALFORMED_BODY', 'The body is empty.');
  const id = await store(
    pipeline,
    delivery,
    checkedBody(delivery.provider, { ...origin, body }, pipeline.config),
  );
  pipeline.received.note(providerNamed(delivery.provider), { deliveries: 1 });
  return id;
}

async function store({ inbox }: Pipeline, { provider, kind }: Delivery, received: Received): Promise<string> {
  try {
    return await inbox.receive({ provider, kind, ...received, handOver: true });
  } catch (error) {
    throw new ServiceError('WEBHOOK_FAILED', undefined, undefined, error);
  }
}

/** The headers of a request that are stored with its delivery; never an authorization or a cookie. */
function keptHeaders(provider: string, headers: IncomingHttpHeaders): Record<string, string> {
  const names = [
    'content-type',
    'user-agent',
    'x-request-id',
    ...providers[providerNamed(provider)].webhooks.keptHeaders,
  ];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

// An Authorization header is a secret: only whether it is right is kept.
function authorizationResult(
  provider: string,
  { headers: { authorization } }: IncomingMessage,
  config: Config,
): Record<string, string> {
  const { pull }: Provider = providers[providerNamed(provider)];
  const expected = pull?.notifications?.authorization?.(config);
  if (authorization === undefined || expected === undefined) return {};
  return { [authorizationHeader]: equal(authorization, expected) ? 'right' : 'wrong' };
}

// A secret in a body is not stored: only whether it is right is kept.
function checkedBody(provider: string, received: Received, config: Config): Received {
  const { pull }: Provider = providers[providerNamed(provider)];
  const authentication = pull?.notifications?.authentication;
  if (authentication?.by !== 'body-secret') return received;
  const { body, secrets } = withoutSecret(received.body, authentication.member);
  const result = secretResult(secrets, authentication.secret(config));
  return { ...received, body, headers: { ...received.headers, [bodySecretHeader]: result } };
}

function secretResult(secrets: readonly unknown[], expected: string | undefined): BodySecretResult {
  if (expected === undefined) return 'unset';
  if (secrets.length === 0) return 'missing';
  const isRight = secrets.every((secret) => typeof secret === 'string' && equal(secret, expected));
  return isRight ? 'right' : 'wrong';
}

function checkClient(headers: IncomingHttpHeaders, delivery: Delivery, config: Config): void {
  const provider = providerNamed(delivery.provider);
  const { clientIdHeaders } = providers[provider].webhooks;
  const [documented] = clientIdHeaders;
  if (documented === undefined) return;
  const given = clientIdHeaders
    .map((name) => headers[name])
    .find((value) => value !== undefined && value !== '');
  if (given === undefined) throw new ServiceError('WEBHOOK_CLIENT_MISSING', `Missing ${documented} header`);
  const known = eachRegion(config, provider).flatMap((one) => settingsOf(one, provider).clientId ?? []);
  if (known.length > 0 && !known.some((clientId) => equal(String(given), clientId)))
    throw new ServiceError('WEBHOOK_CLIENT_UNKNOWN', `Unknown ${documented}`);
}

/** A delivery that the holder of a credential uploads for a user. */
interface Upload extends Delivery {
  readonly uploadedFor: string;
}

const retrySeconds = 30;

/**
 * Receives an upload: checks the credential and the connection (401, 403), stores the body in one committed row, and calls
 * the ingest service with the row's id. The client drops data for ever on any other 4xx, so such a failure is 503.
 */
export async function receiveUpload(pipeline: Pipeline, exchange: Exchange, upload: Upload): Promise<void> {
  const { res, path } = exchange;
  const caller = await admit(pipeline, exchange);
  authorise(caller, exchange);
  await refuseIfFrequent(pipeline, exchange, caller);
  try {
    await open(exchange, upload, { user_id: path.user_id ?? '', caller });
    await storeUpload(pipeline, exchange, upload, originOf(exchange, upload));
  } catch (error) {
    const { status } = failureToSend(error);
    const isFinal = status >= 400 && status < 500 && status !== 401 && status !== 403;
    throw isFinal ? unavailableFor(res, retrySeconds, 'The upload cannot be taken now.') : error;
  }
}

/**
 * Refuses an installation or a user with too many requests in a minute, and a user with too many items. The SDKs' own rhythm is
 * far below. @throws SERVICE_UNAVAILABLE (503, with Retry-After), because a client would take a 429 as final
 */
async function refuseIfFrequent(
  { windows }: Pipeline,
  { res, path }: Exchange,
  caller: Caller | null,
): Promise<void> {
  const now = Date.now();
  const userId = userIdOf(path);
  const counted = [
    await windows.userUploads.hit(userId, now),
    windows.uploadItems.peek(userId, now),
    ...(caller?.kind === 'sdk' ? [await windows.uploads.hit(caller.id, now)] : []),
  ];
  const full = counted.find(({ allowed }) => !allowed);
  if (full === undefined) return;
  const seconds = Math.min(60, Math.max(1, Math.ceil(full.reset - now / 1000)));
  throw unavailableFor(res, seconds, 'Too many uploads came in the last minute.');
}

// A path may name a user in upper case. Limits count each user once.
function userIdOf({ user_id = '' }: Exchange['path']): string {
  return user_id.toLowerCase();
}

function itemsOf(answer: unknown): number {
  return z.object({ received: z.int().min(0) }).safeParse(answer).data?.received ?? 0;
}

interface Opening {
  readonly user_id: string;
  readonly caller: Caller | null;
}

async function open(
  { call }: Exchange,
  { uploadedFor }: Upload,
  { user_id, caller }: Opening,
): Promise<void> {
  try {
    await callByName(call, uploadedFor, { user_id }, { meta: { caller } });
  } catch (error) {
    if (!isError(error, 'VALIDATION_FAILED')) throw error;
    throw new ServiceError('FORBIDDEN', 'The path names no user.');
  }
}

async function storeUpload(
  pipeline: Pipeline,
  exchange: Exchange,
  upload: Upload,
  origin: Origin,
): Promise<void> {
  const { req, res, endpoint, call } = exchange;
  const { limitBytes } = bodyBounds(pipeline.config, endpoint.route);
  if (announcedBytes(req) > limitBytes) throw new ServiceError('BODY_TOO_LARGE');
  await pipeline.capacity.refuseIfFull(upload.provider, res);
  const id = await pipeline.capacity.hold(res, (count) =>
    readAndStore(pipeline, exchange, upload, origin, count),
  );
  const given = { delivery_id: id, user_id: exchange.path.user_id };
  const problem = await problemOf(pipeline.inbox, id, () => callByName(call, endpoint.action, given));
  pipeline.inbox.letGo(id);
  if (isError(problem, 'MALFORMED_BODY')) throw problem;
  const answer = await pipeline.inbox.answerOf(id).catch(() => null);
  await pipeline.windows.uploadItems.hit(userIdOf(exchange.path), Date.now(), itemsOf(answer));
  sendJson(res, endpoint.route.status ?? 202, answer ?? upload.pending());
}

function originOf({ req, path }: Exchange, { provider }: Upload): Origin {
  const userId = userIdOf(path);
  const { body }: Webhooks = providers[providerNamed(provider)].webhooks;
  const account = body.form === 'one-account' ? { [body.accountHeader]: userId } : {};
  return {
    sender: userSender(userId),
    headers: { ...keptHeaders(provider, req.headers), ...account },
  };
}
