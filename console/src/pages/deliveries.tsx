import { type DeliveryStatus, providers } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { useChanges } from '../changes.ts';
import { Action } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { CursorList } from '../parts/cursor-list.tsx';
import { ProviderTitle } from '../parts/provider-title.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Link, location, setQuery } from '../router.tsx';
import { can } from '../session.ts';
import { titleOf } from '../titles.ts';

const states: readonly DeliveryStatus[] = ['ready', 'working', 'done', 'dead'];

const pauseMs = 3000;
const meanings: Readonly<Record<DeliveryStatus, string>> = {
  ready: 'A delivery is ready while it waits for its first or next attempt.',
  working: 'A delivery is working while a service processes it.',
  done: '',
  dead: 'A delivery is dead once no further attempt can succeed.',
};

/** What providers sent: the state of each delivery, and replay. */
export function Deliveries() {
  const version = useChanges({ pauseMs });
  const { query } = location.value;
  const provider = providers.find((one) => one === query.get('provider'));
  const filter = provider === undefined ? {} : { provider };
  const chosen = states.find((one) => one === query.get('status')) ?? 'done';
  const from = provider === undefined ? '' : ` of ${titleOf(provider)}`;
  return (
    <>
      <h1>Deliveries</h1>
      <p>
        A delivery is one webhook request of a provider. Its page shows the errors of its items, and its body.
      </p>
      <div class="row filters">
        <label>
          State
          <select value={chosen} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
            {states.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          Provider
          <select
            value={provider ?? ''}
            onChange={(event) => setQuery({ provider: event.currentTarget.value })}
          >
            <option value="">any</option>
            {providers.map((one) => (
              <option key={one} value={one}>
                {titleOf(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <CursorList
        name={`deliveries ${chosen} ${provider ?? ''}`}
        what="deliveries"
        version={version}
        load={(page, signal) =>
          api.deliveries.list({ status: chosen, ...filter, ...page, limit: 25 }, { signal })
        }
      >
        {(items, reload) =>
          items.length === 0 ? (
            <Empty>
              {chosen === 'done'
                ? `No delivery${from} is processed yet. Connect a user, or check the addresses under Providers.`
                : `No delivery${from} is ${chosen}. ${meanings[chosen]}`}
            </Empty>
          ) : (
            <Table
              title="Deliveries"
              head={['Received', 'Provider', 'Kind', 'State', 'Attempts', 'Bytes', 'Error', 'Actions']}
            >
              {items.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Link to={`/deliveries/${one.id}`}>
                      <Time at={one.received_at} />
                    </Link>
                  </td>
                  <td>
                    <ProviderTitle provider={one.provider} />
                  </td>
                  <td>{one.kind}</td>
                  <td>
                    <Badge state={one.status} />
                  </td>
                  <td>{one.attempts}</td>
                  <td>{one.body_bytes.toLocaleString()}</td>
                  <td>{one.error}</td>
                  <td>
                    {can('deliveries.write') && (one.status === 'dead' || one.status === 'done') && (
                      <Action
                        run={async () => {
                          await api.deliveries.replay({ delivery_id: one.id });
                          reload();
                        }}
                      >
                        Replay<span class="hidden"> the delivery of {one.received_at}</span>
                      </Action>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </CursorList>
    </>
  );
}
