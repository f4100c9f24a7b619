import type { WebhookEndpoint, WebhookMessage } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { Link } from '../../router.tsx';
import { Badge } from '../badge.tsx';
import { Empty, Loaded } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import type { OfUser } from './of-user.ts';

const perEndpoint = 20;

/** The newest webhook messages about a user, of each endpoint. */
export function Messages({ userId, version }: OfUser) {
  const messages = useResource(
    `${userId} messages ${version}`,
    (signal) => readMessages(userId, signal),
    true,
  );
  return (
    <Loaded of={messages} what="webhook messages">
      {({ endpoints, list }) =>
        endpoints.length === 0 ? (
          <Empty>
            No webhook endpoint yet. <Link to="/webhooks">Create one</Link>, and each change of this user is
            sent to it.
          </Empty>
        ) : list.length === 0 ? (
          <Empty>No message about this user is kept.</Empty>
        ) : (
          <>
            <p class="faint">The newest {perEndpoint} of each endpoint.</p>
            <Listed messages={list} endpoints={endpoints} />
          </>
        )
      }
    </Loaded>
  );
}

async function readMessages(user_id: string, signal: AbortSignal) {
  const endpoints = await api.webhooks.listEndpoints({ signal });
  const pages = await Promise.all(
    endpoints.map(({ id }) =>
      api.webhooks.messages({ endpoint_id: id, user_id, limit: perEndpoint }, { signal }),
    ),
  );
  const list = pages
    .flatMap(({ data }) => data)
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
  return { endpoints, list };
}

function Listed({
  messages,
  endpoints,
}: {
  messages: readonly WebhookMessage[];
  endpoints: readonly WebhookEndpoint[];
}) {
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return (
    <Table title="Webhook messages" head={['Created', 'Event', 'State', 'Attempts', 'Endpoint']}>
      {messages.map((one) => (
        <tr key={one.id}>
          <td>
            <Time at={one.created_at} />
          </td>
          <td>{one.type}</td>
          <td>
            <Badge state={one.status} />
          </td>
          <td>{one.attempts.length}</td>
          <td>
            <Link to={`/webhooks/${one.endpoint_id}`}>{urls.get(one.endpoint_id) ?? 'deleted'}</Link>
          </td>
        </tr>
      ))}
    </Table>
  );
}
