import { z } from 'zod';
import type { Change } from '../../../contracts/webhooks/changes.ts';
import { EventType } from '../../../contracts/webhooks/events.ts';
import { CursorParameter } from '../../../domain/page.ts';
import { TimeParameter } from '../../../domain/time/time.ts';
import { UserId } from '../../../domain/wire.ts';
import { endpointOf } from '../endpoints.ts';
import { cursorOf, readBounded } from './bounded-answer.ts';
import { tableOf } from './table.ts';
import { tool } from './tool.ts';
import { mostItems } from './tool-fields.ts';

const mostChanges = 200;

/** What changed since a time. */
export const changesTool = tool({
  name: 'list_changes',
  title: 'What changed',
  description:
    'Changes of users, connections, backfills, workouts, sleep, summaries and series, oldest first: time, type, user (an index into `users`), and which object changed (id, local day, series type, span). It does not contain the new values: read them with the other tools. Changes are kept for a limited time, 30 days by default. Even the last answer has a `next_cursor`: it continues with later changes.',
  endpoint: endpointOf('webhooks.changes'),
  params: z.object({
    since: TimeParameter.optional().describe(
      'Only changes that were published at or after this time (ISO 8601). Default: all that are kept.',
    ),
    user_id: UserId.optional().describe('Only changes of this user.'),
    types: z.array(EventType).min(1).max(EventType.options.length).optional().describe('Only these types.'),
    cursor: CursorParameter.describe('`next_cursor` of an earlier answer to the same arguments.'),
    limit: mostItems(mostChanges),
  }),
  run: async ({ limit = mostChanges, cursor, ...args }, call) => {
    let hasMore = false;
    const read = async (size: number, at: string | undefined) => {
      const { data, pagination } = await call('webhooks.changes', { ...args, limit: size, ...cursorOf(at) });
      hasMore = pagination.has_more;
      return { data, next: pagination.next_cursor };
    };
    const answer = await readBounded({ limit, pageLimit: limit, cursor, read, show });
    return { ...answer, has_more: hasMore };
  },
});

// Ids of users repeat, so that rows refer to a list of them.
function show(changes: readonly Change[]) {
  const users = [...new Set(changes.map(({ data }) => String(data.user_id)))];
  const records = changes.map(({ type, timestamp, data }) => {
    const { url: _, record: __, historical: ___, external_user_id: ____, ...details } = data;
    const { user_id, sequence: _____, provider, device, type: workout_type, ...rest } = details;
    const source = device === undefined ? { provider } : { source: { provider, device } };
    return { timestamp, type, user: users.indexOf(String(user_id)), ...rest, ...source, workout_type };
  });
  return { ...tableOf(records), users };
}
