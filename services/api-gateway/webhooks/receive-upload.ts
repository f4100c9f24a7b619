import { z } from 'zod';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { Delivery } from '../../../domain/contract.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import type { Webhooks } from '../../../domain/provider/provider.ts';
import { userSender } from '../../../mixins/inbox/delivery.ts';
import { providerNamed, providers } from '../../../providers/all.ts';
import { callByName } from '../../../runtime/environment.ts';
import { announcedBytes, bodyBounds } from '../body/read-bytes.ts';
import { admit, authorise } from '../pipeline/admission.ts';
import { failureToSend, sendJson, unavailableFor } from '../pipeline/answer.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { keptHeaders, type Origin, problemOf, readAndStore } from './receive-delivery.ts';

/** A delivery that the holder of a credential uploads for a user. */
export interface Upload extends Delivery {
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
    await store(pipeline, exchange, upload, originOf(exchange, upload));
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

async function store(pipeline: Pipeline, exchange: Exchange, upload: Upload, origin: Origin): Promise<void> {
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
