import { useState } from 'preact/hooks';
import type {
  WebhookEndpoint,
  WebhookMessage,
  WebhookMessageStatus,
} from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { waitingText } from '../endpoint-texts.ts';
import { Action } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { CursorList } from '../parts/cursor-list.tsx';
import { ShownOnce, TypedConfirmation } from '../parts/dialog.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { navigate } from '../router.tsx';
import { endpointState } from './webhooks.tsx';

const states: readonly WebhookMessageStatus[] = ['waiting', 'delivered', 'failed', 'dropped'];
const dayMs = 86_400_000;
/** Messages are sent, and repeated, without a change in the feed. */
const everyMs = 3000;

/** One endpoint: its state, its messages and their attempts. */
export function Endpoint({ id }: { id: string }) {
  const endpoint = useResource(id, (signal) => api.webhooks.getEndpoint({ endpoint_id: id }, { signal }));
  const [version, setVersion] = useState(0);
  useRepeated(everyMs, () => {
    endpoint.reload();
    setVersion((last) => last + 1);
  });
  return (
    <>
      <h1>Webhook endpoint</h1>
      <Loaded of={endpoint} what="endpoint">
        {(one) => (
          <Details
            endpoint={one}
            changed={() => {
              endpoint.reload();
              setVersion((last) => last + 1);
            }}
          />
        )}
      </Loaded>
      <Messages id={id} version={version} />
    </>
  );
}

const reasons: Readonly<Record<NonNullable<WebhookEndpoint['disabled_reason']>, string>> = {
  gone: 'it answered 410 Gone',
  failing: 'it took no message for five days',
  key_deleted: 'the API key that set its address was deleted',
};

function Details({ endpoint, changed }: { endpoint: WebhookEndpoint; changed: () => void }) {
  const { id: endpoint_id, url, enabled } = endpoint;
  const [secret, setSecret] = useState('');
  const [note, setNote] = useState('');
  const recover = async () => {
    const since = new Date(Date.now() - 3 * dayMs).toISOString();
    const { queued } = await api.webhooks.recoverMessages({ endpoint_id, since });
    setNote(`${queued} messages of the last three days are sent again.`);
    changed();
  };
  return (
    <>
      <p>
        <code>{url}</code> <Badge state={endpointState(endpoint)} />
      </p>
      <dl class="facts">
        <dt>Events</dt>
        <dd>{endpoint.event_types?.join(', ') ?? 'all types'}</dd>
        <dt>Behind</dt>
        <dd>{waitingText(endpoint) ?? 'No message waits'}</dd>
        <dt>Last delivered</dt>
        <dd>
          <Time at={endpoint.last_delivered_at} />
        </dd>
        <dt>Failing since</dt>
        <dd>
          <Time at={endpoint.failing_since} />
        </dd>
        <dt>Address set by</dt>
        <dd>
          {endpoint.api_key_id === null ? 'A developer, or not known' : `API key ${endpoint.api_key_id}`}
        </dd>
        {endpoint.disabled_reason !== null && (
          <>
            <dt>Disabled because</dt>
            <dd>{reasons[endpoint.disabled_reason]}</dd>
          </>
        )}
      </dl>
      <p class="row">
        <Action
          kind="main"
          run={async () => {
            await api.webhooks.testEndpoint({ endpoint_id });
            setNote('A test message is on its way.');
            changed();
          }}
        >
          Send a test
        </Action>
        <Action run={recover}>Recover failed messages</Action>
        <Action
          run={async () => {
            await api.webhooks.updateEndpoint({ endpoint_id, enabled: !enabled });
            changed();
          }}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Action>
        <Action run={async () => setSecret((await api.webhooks.rotateSecret({ endpoint_id })).secret)}>
          Rotate the secret
        </Action>
        <TypedConfirmation
          label="Delete the endpoint"
          title="Delete this endpoint?"
          word="delete"
          run={async () => {
            await api.webhooks.removeEndpoint({ endpoint_id });
            navigate('/webhooks');
          }}
        >
          <p>Its messages are deleted too. Nothing is sent to {url} from then on.</p>
        </TypedConfirmation>
      </p>
      <p role="status">{note}</p>
      {secret !== '' && <ShownOnce title="New signing secret" secret={secret} close={() => setSecret('')} />}
    </>
  );
}

function Messages({ id, version }: { id: string; version: number }) {
  const [status, setStatus] = useState<WebhookMessageStatus | null>(null);
  const filter = status === null ? {} : { status };
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">Messages</h2>
      <label class="filters">
        State
        <select
          value={status ?? ''}
          onChange={(event) => setStatus(states.find((one) => one === event.currentTarget.value) ?? null)}
        >
          <option value="">any</option>
          {states.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <CursorList
        name={`messages ${id} ${status}`}
        what="messages"
        version={version}
        load={(query, signal) =>
          api.webhooks.messages({ endpoint_id: id, ...filter, ...query, limit: 25 }, { signal })
        }
      >
        {(items, reload) =>
          items.length === 0 ? (
            <Empty>No message{status === null ? ' yet. Send a test.' : ` is ${status}.`}</Empty>
          ) : (
            <Table title="Messages" head={['Created', 'Event', 'State', 'Attempts', 'Actions']}>
              {items.map((one) => (
                <Message key={one.id} message={one} reload={reload} />
              ))}
            </Table>
          )
        }
      </CursorList>
    </section>
  );
}

function Message({ message, reload }: { message: WebhookMessage; reload: () => void }) {
  const { id: message_id, endpoint_id, attempts } = message;
  const resend = async () => {
    await api.webhooks.resendMessage({ endpoint_id, message_id });
    reload();
  };
  return (
    <tr>
      <td>
        <Time at={message.created_at} />
      </td>
      <td>{message.type}</td>
      <td>
        <Badge state={message.status} />
      </td>
      <td>
        {attempts.length === 0 ? (
          'none'
        ) : (
          <details>
            <summary>{attempts.length}</summary>
            <ul>
              {attempts.map((one) => (
                <li key={one.number}>
                  <Time at={one.at} />: {one.status ?? one.error} in {one.duration_ms} ms
                  {one.response !== null && <code class="response">{one.response}</code>}
                </li>
              ))}
            </ul>
          </details>
        )}
      </td>
      <td>
        {message.status !== 'waiting' && (
          <Action run={resend}>
            Resend<span class="hidden"> the message of {message.created_at}</span>
          </Action>
        )}
      </td>
    </tr>
  );
}
