import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import type { Delivery } from '../../domain/contract.ts';
import { isError, ServiceError } from '../../domain/errors.ts';
import { addressSender, providerSender } from '../../mixins/inbox-stored.ts';
import { providerNamed, providers } from '../../providers/all.ts';
import { callByName } from '../../runtime/environment.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import { sendJson, setWindow } from './answer.ts';
import { checkContentType } from './body.ts';
import { bodyBounds } from './body-bounds.ts';
import { checkWebhookAccess, type Edge, type Exchange, limited } from './exchange.ts';
import type { BodyInWork } from './intake.ts';
import { announcedBytes, readBytes } from './read-bytes.ts';
import type { Sender } from './stored-bytes.ts';
import { equal } from './webhook-access.ts';
import { network } from './windows.ts';

/**
 * A webhook's way through the gateway: required header (401), size, content type, one committed row, then the
 * ingest service is called with the row's id. Once the row is there the sender gets 200, whatever happens
 * behind; only where it could not be written 500, and the sender tries again.
 */
export async function receiveDelivery(edge: Edge, exchange: Exchange, delivery: Delivery): Promise<void> {
  const { req, res, endpoint, call } = exchange;
  const window = edge.windows.webhook.hit(edge.addressOf(req), Date.now());
  setWindow(res, window);
  checkClient(req.headers, delivery, edge.config);
  if (!window.allowed) throw limited(res, window);
  checkWebhookAccess(edge, exchange);
  const { limitBytes } = bodyBounds(edge.config, endpoint.route);
  if (announcedBytes(req) > limitBytes) throw new ServiceError('BODY_TOO_LARGE');
  if (req.headers['content-type'] !== undefined) checkContentType(req, false);
  await edge.intake.refuseIfFull(delivery.provider, res);
  edge.stored.refuseIfFull(senderOf(edge, req, delivery), announcedBytes(req), res);
  const id = await edge.intake.hold(res, (body) => takeIn(edge, exchange, delivery, body));
  const problem = await callByName(call, endpoint.action, { delivery_id: id }).then(
    () => null,
    (error: unknown) => error,
  );
  edge.inbox.letGo(id);
  if (isError(problem, 'MALFORMED_BODY') || isError(problem, 'VALIDATION_FAILED')) throw problem;
  const answer = await edge.inbox.answerOf(id).catch(() => null);
  sendJson(res, 200, answer ?? delivery.pending());
}

async function takeIn(
  edge: Edge,
  { req, res, endpoint }: Exchange,
  delivery: Delivery,
  { count, ending, arrived }: BodyInWork,
): Promise<string> {
  const body = await readBytes(req, { ...bodyBounds(edge.config, endpoint.route), count, ending });
  arrived();
  if (body.length === 0 && delivery.anyBody !== true)
    throw new ServiceError('MALFORMED_BODY', 'The body is empty.');
  const sender = senderOf(edge, req, delivery);
  edge.stored.refuseIfFull(sender, body.length, res);
  const id = await store(edge, delivery, req, body, sender);
  edge.stored.add(sender, body.length);
  return id;
}

function senderOf(edge: Edge, req: IncomingMessage, { provider }: Delivery): Sender {
  return edge.webhooks.isAuthenticated(req)
    ? { name: providerSender(provider), isStranger: false }
    : { name: addressSender(network(edge.addressOf(req))), isStranger: true };
}

async function store(
  edge: Edge,
  { provider, kind }: Delivery,
  req: IncomingMessage,
  body: Buffer,
  sender: Sender,
): Promise<string> {
  const kept = {
    headers: keptHeaders(provider, req.headers),
    sender: sender.name,
    authenticated: !sender.isStranger,
  };
  try {
    return await edge.inbox.receive({ provider, kind, body, ...kept, handOver: true });
  } catch (error) {
    throw new ServiceError('WEBHOOK_FAILED', undefined, undefined, error);
  }
}

// What a later look at a delivery may need; never an authorization or a cookie.
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

function checkClient(headers: IncomingHttpHeaders, delivery: Delivery, config: Config): void {
  const provider = providerNamed(delivery.provider);
  const { clientIdHeaders } = providers[provider].webhooks;
  const [documented] = clientIdHeaders;
  if (documented === undefined) return;
  const given = clientIdHeaders
    .map((name) => headers[name])
    .find((value) => value !== undefined && value !== '');
  if (given === undefined) throw new ServiceError('WEBHOOK_CLIENT_MISSING', `Missing ${documented} header`);
  const { clientId } = settingsOf(config, provider);
  if (clientId !== undefined && !equal(String(given), clientId))
    throw new ServiceError('WEBHOOK_CLIENT_UNKNOWN', `Unknown ${documented}`);
}
