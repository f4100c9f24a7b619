import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import { accountOf, refusal } from './accounts.ts';
import { itemsOf, sentName, typeNamed } from './notification-parts.ts';
import { dataTypes } from './payloads.ts';
import type { DevicemakerWorld, NotificationPart } from './state.ts';

/** Data that is not fetched within a day must be requested again. */
const tokenLivesMs = 86_400_000;

const Ticket = z.object({
  account_id: z.string(),
  type: z.enum(dataTypes),
  startMs: z.number(),
  endMs: z.number(),
  ends_ms: z.number(),
});

/** The URL at which a part of the data can be fetched, with a token that expires. */
export function callbackUrl(world: DevicemakerWorld, portion: NotificationPart): string {
  const { clock, url } = world;
  const ticket = { ...portion, ends_ms: clock.nowMs() + tokenLivesMs };
  const text = Buffer.from(JSON.stringify(ticket)).toString('base64url');
  const name = sentName(portion.type, world.application().names);
  const callback = new URL(`/devicemaker/rest/${name}`, url);
  callback.searchParams.set('uploadStartTimeInSeconds', String(portion.startMs / 1000));
  callback.searchParams.set('uploadEndTimeInSeconds', String(portion.endMs / 1000));
  callback.searchParams.set('token', `${text}.${signed(world, text)}`);
  return callback.href;
}

/** The callback route. It returns the list of the items that a push would contain. */
export function devicemakerCallbacks(world: DevicemakerWorld): Route[] {
  return [route('GET', '/devicemaker/rest/:type', (request) => fetched(world, request), 'callback')];
}

function fetched(world: DevicemakerWorld, { params, query }: HttpRequest): Reply {
  const type = typeNamed(params.type ?? '');
  const ticket = ticketOf(world, query.get('token') ?? '');
  if (type === null) return refusal(404, 'There is nothing here.');
  if (ticket?.type !== type || ticket.ends_ms <= world.clock.nowMs())
    return refusal(400, 'The token is not valid.');
  const account = accountOf(world, ticket.account_id);
  if (account === null || !account.registered) return refusal(400, 'The token is not valid.');
  world.store.state.counts.callbacks += 1;
  world.store.touch();
  return { status: 200, json: itemsOf(world.user(account.person), type, ticket) };
}

function ticketOf(world: DevicemakerWorld, token: string): z.infer<typeof Ticket> | null {
  const [text = '', signature = ''] = token.split('.');
  const expected = Buffer.from(signed(world, text));
  const given = Buffer.from(signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null;
  return Ticket.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
}

function signed({ own }: DevicemakerWorld, text: string): string {
  return createHmac('sha256', own.signing_key).update(text).digest('base64url');
}
