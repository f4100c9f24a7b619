import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { isProviderName, providers } from '../../providers/all.ts';
import type { ReceivedMessage } from '../../sandbox/receiver/message-log.ts';

/** A message as it is printed. `users` are the ids of its user. */
export interface ShownMessage {
  readonly type: string;
  readonly users: readonly string[];
  /** When and which, before the type. */
  readonly time: string;
  /** Of whom, what and in which order, after the type. */
  readonly details: string;
  readonly json: string;
}

const text = z.string().nullish().catch(null);
const Body = z
  .object({
    type: z.string(),
    data: z
      .object({
        user_id: text,
        external_user_id: text,
        id: text,
        backfill_id: text,
        connection_id: text,
        endpoint_id: text,
        series_type: text,
        type: text,
        data_type: text,
        date: text,
        start_time: text,
        end_time: text,
        provider: text,
        device: text,
        status: text,
        reason: text,
        values: z.int().nullish().catch(null),
        sequence: z.int().nullish().catch(null),
        historical: z.boolean().nullish().catch(null),
      })
      .catch({}),
  })
  .catch({ type: 'unknown', data: {} });
type Data = z.infer<typeof Body>['data'];

/** Shows a message that the receiver verified. */
export function shownMessage({ at, body }: Pick<ReceivedMessage, 'at' | 'body'>): ShownMessage {
  const { type, data } = Body.parse(jsonOrNull(body));
  const users = [data.user_id, data.external_user_id].filter((id) => typeof id === 'string');
  const parts = [data.external_user_id ?? data.user_id, whatOf(data), orderOf(data), 'verified'];
  return {
    type: printable(type),
    users,
    json: oneLine(body),
    time: new Date(at).toTimeString().slice(0, 8),
    details: joined(parts),
  };
}

function whatOf(data: Data): string {
  const id = data.id ?? data.backfill_id ?? data.connection_id ?? data.endpoint_id;
  const { series_type, type, data_type, date, start_time, end_time, values, status, reason } = data;
  const span = start_time && end_time ? `${start_time} to ${end_time}` : null;
  const count = typeof values === 'number' ? `${values} value${values === 1 ? '' : 's'}` : null;
  return joined([series_type, type, data_type, date, span, count, sourceOf(data), id, status, reason]);
}

function sourceOf({ provider, device }: Data): string {
  const title = provider && isProviderName(provider) ? providers[provider].title : provider;
  return [title, device === 'unknown' ? null : device].filter(Boolean).join(', ');
}

function orderOf({ sequence, historical }: Data): string {
  return joined([typeof sequence === 'number' ? `#${sequence}` : null, historical ? 'historical' : null]);
}

const joined = (parts: readonly (string | null | undefined)[]) => printable(parts.filter(Boolean).join('  '));

// A terminal interprets control characters, and ids are any text that a caller of the API chose.
function printable(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

// JSON has these characters within strings only, where an escape means the same, and line ends between them only.
function oneLine(body: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return body.replace(/[\r\n\t]/g, ' ').replace(/[\x7f-\x9f\u2028\u2029]/g, escaped);
}
