import { z } from 'zod';
import { users } from '../../../contracts/users.ts';
import { UserId } from '../../../domain/wire.ts';
import { endpointOf } from '../endpoints.ts';
import { checkSize, tableOf } from './answer.ts';
import { changesTool, eventTools, timeSeriesTool } from './data-tools.ts';
import { insightTools, scoresTool, summaryTools } from './summary-tools.ts';
import { type Tool, tool } from './tool.ts';

const { search, email, external_user_id } = users.actions.list.params.shape;

/** Users and their connections. */
const userTools = [
  tool({
    name: 'find_users',
    title: 'Find users',
    description:
      'Lists users, newest first, or those that match all given filters. Returns the `id` of each user and `total`, the number of all matching users. With `connected` false: the users who have no active connection to a provider, and therefore send no new data. At most 50 users a page; increase `page` for more.',
    endpoint: endpointOf('users.list'),
    params: z.object({
      search,
      email,
      external_user_id,
      connected: z
        .boolean()
        .optional()
        .describe('true: only users with an active connection; false: only users without one.'),
      page: z.int().min(1).max(1_000_000).optional().describe('Page number, starting with 1.'),
      limit: z.int().min(1).max(50).optional().describe('Users per page, 1 to 50. Default: 20.'),
    }),
    async run(args, call) {
      const { items, total, page, pages } = await call('users.list', args);
      const answer = { ...tableOf(items), total, page, pages };
      return checkSize(answer, 'limit', `must be at most ${Math.floor(items.length / 2)} here`);
    },
  }),
  tool({
    name: 'list_connections',
    title: 'List connections',
    description:
      'Lists the connections of a user to providers: `status` is active, expired (the provider refused the access) or revoked; `last_synced_at` is the time of the last data. No rows: the user was never connected.',
    endpoint: endpointOf('users.connections'),
    params: z.object({ user_id: UserId }),
    async run(args, call) {
      const connections = await call('users.connections', args);
      const shown = connections.map(({ user_id: _, privacy: __, updated_at: ___, ...rest }) => rest);
      return checkSize({ ...tableOf(shown) }, 'user_id', 'must be of another user');
    },
  }),
  tool({
    name: 'get_freshness',
    title: 'Get freshness',
    description:
      'Whether the data of a user arrives as expected, one row for each connection and kind of data: `state` is fresh, late, stale (missing, and reading again found nothing), silent (there never was any) or paused (not shared, or the device is not worn). `gaps` are days without data of a kind in the last 28 days. `action` is what only the user can do.',
    endpoint: endpointOf('freshness.ofUser'),
    params: z.object({ user_id: UserId }),
    async run(args, call) {
      const { data } = await call('freshness.ofUser', args);
      const rows = data.flatMap(({ provider, action, incident, data_types }) =>
        data_types.map((one) => ({ provider, ...one, action, incident })),
      );
      const gaps = data.flatMap(({ provider, gaps: own }) => own.map((gap) => ({ provider, ...gap })));
      return checkSize({ ...tableOf(rows), gaps }, 'user_id', 'must be of another user');
    },
  }),
];

/** All tools of the MCP server. */
export const tools: readonly Tool[] = [
  ...userTools,
  ...summaryTools,
  scoresTool,
  ...insightTools,
  ...eventTools,
  timeSeriesTool,
  changesTool,
];
