import { createHash } from 'node:crypto';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { callByName, type Meta } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { asGiven, userToCheck, withinProject } from '../../../runtime/user-project.ts';
import { keyCredential } from '../rules/credential.ts';
import { withOurNames } from '../rules/open-wearables.ts';
import { admit, authorise } from './admission.ts';
import { failureToSend, sendFailureToBrowser, sendJson, sendToBrowser, setWindow } from './answer.ts';
import { type Access as AdmittedRequest, noteRead, recordExport, recordRead } from './audit-access.ts';
import { baseOf, proofsOf } from './connect-cookie.ts';
import { callWaiting, checkWebhookAccess, type Exchange, type Pipeline } from './exchange.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { gather } from './parameters.ts';
import { receiveDelivery, receiveUpload } from './receive-delivery.ts';
import { receiveFile } from './receive-file.ts';
import { streamLines, streamOf } from './streams.ts';
import { network } from './windows.ts';

/** Answers one request, or throws the failure to answer it with. */
export async function serve(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { route } = exchange.endpoint;
  if (route.delivery?.uploadedFor !== undefined)
    return receiveUpload(pipeline, exchange, { ...route.delivery, uploadedFor: route.delivery.uploadedFor });
  if (route.delivery !== undefined) return receiveDelivery(pipeline, exchange, route.delivery);
  if (route.file !== undefined) return receiveFile(pipeline, exchange, route.file);
  if (route.browser === undefined) return answer(pipeline, exchange);
  await answer(pipeline, exchange).catch((error: unknown) =>
    sendFailureToBrowser(exchange.req, exchange.res, error),
  );
}

async function answer(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { route } = exchange.endpoint;
  const caller = await admit(pipeline, exchange);
  authorise(caller, exchange);
  checkWebhookAccess(pipeline, exchange);
  const given = await gather(pipeline, exchange);
  const { params, toAnswer } = withOurNames(exchange.endpoint, exchange.req.headers, given);
  if (route.stream !== undefined) return answerStream(pipeline, exchange, { caller, params });
  const meta = {
    caller,
    gateway_url: pipeline.url(),
    ...countedAddress(pipeline, exchange, caller),
    ...browsersOf(pipeline, exchange),
  };
  if (route.idempotencyKey === true && caller !== null)
    return create(pipeline, exchange, { caller, params, meta, toAnswer });
  const call = (part: typeof params) => callAction(exchange, part, meta);
  const result = await countingFailures(pipeline, exchange, caller, () =>
    callWaiting(pipeline, exchange, params, call),
  );
  await recordRead(pipeline, exchange, { caller, params });
  if (route.browser !== undefined) return sendToBrowser(exchange.res, result);
  for (const [name, value] of Object.entries(route.headersOf?.(result) ?? {}))
    exchange.res.setHeader(name, value);
  sendJson(exchange.res, route.status ?? 200, toAnswer(result));
}

async function answerStream(pipeline: Pipeline, exchange: Exchange, access: AdmittedRequest): Promise<void> {
  const { res, endpoint, call } = exchange;
  const { caller } = access;
  const user = userToCheck({ caller }, 1, endpoint.definition, access.params);
  const { params, restore } =
    user === null ? asGiven(access.params) : await withinProject(call, { caller }, user, access.params);
  const onCut = (error: unknown) => pipeline.logger.warn('stream.cut', { code: codeOf(error) });
  try {
    const { lines, form } = await streamOf({
      action: endpoint.action,
      call,
      params,
      meta: { caller, gateway_url: pipeline.url() },
      onRead: (userId) => noteRead(pipeline, exchange, access, userId),
    });
    await streamLines(res, recordExport(pipeline, exchange, access, lines), form, onCut);
  } catch (error) {
    throw restore(error);
  }
}

interface Creation {
  readonly caller: Caller;
  readonly params: Record<string, unknown>;
  readonly meta: Meta;
  toAnswer(body: unknown): unknown;
}

// The stored answer has our names, so that a repetition gets those of its own request.
async function create(
  pipeline: Pipeline,
  exchange: Exchange,
  { caller, params, meta, toAnswer }: Creation,
): Promise<void> {
  const { req, res, endpoint } = exchange;
  const status = endpoint.route.status ?? 200;
  const run = async () => ({ status, body: await callAction(exchange, params, meta) });
  const key = idempotencyKeyOf(req);
  if (key === null) return sendJson(res, status, toAnswer((await run()).body));
  try {
    const kept = await pipeline.idempotency.once({ key, caller, endpoint, params }, run);
    if (kept.replayed) {
      await requireLiveKey(exchange, kept.body);
      res.setHeader('Idempotent-Replayed', 'true');
    }
    sendJson(res, kept.status, toAnswer(kept.body));
  } catch (error) {
    if (isError(error, 'IDEMPOTENCY_KEY_IN_WORK')) res.setHeader('Retry-After', 1);
    throw error;
  }
}

// A repeated answer shows an API key only as long as the key is valid. @throws API_KEY_NOT_FOUND (404)
async function requireLiveKey({ call }: Exchange, body: unknown): Promise<void> {
  const key = fieldOf(body, 'key');
  if (typeof key !== 'string') return;
  const { caller } = await call('auth.admit', { ...keyCredential(key), uncounted: true });
  if (caller === null)
    throw new ServiceError('API_KEY_NOT_FOUND', 'The API key that this request made is not valid any more.');
}

function callAction(
  { call, endpoint }: Exchange,
  params: Record<string, unknown>,
  meta: Meta,
): Promise<unknown> {
  // The name comes from the contracts; the service that runs the action validates the parameters.
  return callByName(call, endpoint.action, params, { meta });
}

/** Runs work that checks a credential; unless it fails, its count is refunded. */
export async function countingFailures<T>(
  pipeline: Pipeline,
  exchange: Exchange,
  caller: Caller | null,
  work: () => Promise<T>,
): Promise<T> {
  if (exchange.endpoint.route.countFailures !== true || caller !== null) return work();
  const { req, res } = exchange;
  const refund = async () =>
    setWindow(res, await pipeline.windows.failures.refund(pipeline.addressOf(req), Date.now()));
  try {
    const result = await work();
    await refund();
    return result;
  } catch (error) {
    if (failureToSend(error).status >= 500 || isHalfProven(error)) await refund();
    for (const [name, value] of Object.entries(headersOf(error))) res.setHeader(name, value);
    throw error;
  }
}

// The password is right.
const isHalfProven = (error: unknown) =>
  isError(error, 'SECOND_FACTOR_REQUIRED') || isError(error, 'PASSKEY_REQUIRED');

/** The callback of a provider belongs to the browser that started the attempt. */
function browsersOf(pipeline: Pipeline, { req, endpoint }: Exchange): Meta {
  if (endpoint.route.browser === undefined) return {};
  const proofs = Object.entries(proofsOf(req, baseOf(pipeline))).map(([id, { secret_hash }]) => [
    id,
    secret_hash,
  ]);
  return { browsers: Object.fromEntries(proofs) };
}

/** Failures of requests without a credential are counted by address. */
export function countedAddress(pipeline: Pipeline, { req, endpoint }: Exchange, caller: Caller | null): Meta {
  const counts = endpoint.route.countFailures === true && caller === null;
  if (!counts) return {};
  const address = network(pipeline.addressOf(req));
  const client = createHash('sha256')
    .update(`${address}\n${req.headers['user-agent'] ?? ''}`)
    .digest('hex');
  return { address, client };
}

// The data of an error is JSON from the bus, so its shape is not typed.
function headersOf(error: unknown): Record<string, string> {
  const data: unknown = Reflect.get(Object(error), 'data');
  const headers: unknown = Reflect.get(Object(data), 'headers');
  return Object.fromEntries(Object.entries(Object(headers)).map(([name, value]) => [name, String(value)]));
}
