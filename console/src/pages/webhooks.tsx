import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { behindSeconds, waitingText } from '../endpoint-texts.ts';
import { Badge } from '../parts/badge.tsx';
import { ShownOnce } from '../parts/dialog.tsx';
import { FormDialog } from '../parts/form.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link, location, setQuery } from '../router.tsx';

/** The state of an endpoint in one word. */
export function endpointState(one: {
  enabled: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
}) {
  if (!one.enabled) return one.disabled_reason === null ? 'paused' : 'disabled';
  return one.failing_since === null ? 'enabled' : 'failed';
}

const states = ['enabled', 'failed', 'paused', 'disabled'] as const;
const everyMs = 10_000;
/** More rows than these are drawn by request, because each takes time. */
const mostAtOnce = 100;

/** The addresses that receive changes, those that are furthest behind first. */
export function Webhooks() {
  const endpoints = useResource('endpoints', (signal) => api.webhooks.listEndpoints({ signal }));
  useRepeated(everyMs, endpoints.reload);
  const state = states.find((one) => one === location.value.query.get('state'));
  const isWhole = location.value.query.has('all');
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState('');
  const created = (value: string) => {
    setCreating(false);
    setSecret(value);
    endpoints.reload();
  };
  return (
    <>
      <div class="row between">
        <h1>Webhooks</h1>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          Add an endpoint
        </button>
      </div>
      <label class="filters">
        State
        <select value={state ?? ''} onChange={(event) => setQuery({ state: event.currentTarget.value })}>
          <option value="">any</option>
          {states.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Loaded of={endpoints} what="endpoints">
        {(all) => {
          const list = all
            .filter((one) => state === undefined || endpointState(one) === state)
            .toSorted((one, other) => behindSeconds(other) - behindSeconds(one));
          return list.length === 0 ? (
            <Empty>
              {all.length > 0
                ? `No endpoint is ${state}.`
                : 'There is no endpoint yet. Add the address of your application: it then receives changes as signed requests.'}
            </Empty>
          ) : (
            <div class="endpoints">
              <Table
                title="Endpoints"
                head={['Address', 'State', 'Behind', 'Last delivered', 'Description', 'Created']}
              >
                {(isWhole ? list : list.slice(0, mostAtOnce)).map((one) => (
                  <tr key={one.id}>
                    <td>
                      <Link to={`/webhooks/${one.id}`}>{one.url}</Link>
                    </td>
                    <td>
                      <Badge state={endpointState(one)} />
                    </td>
                    <td>{waitingText(one) ?? 'no'}</td>
                    <td>
                      <Time at={one.last_delivered_at} />
                    </td>
                    <td>{one.description}</td>
                    <td>
                      <Time at={one.created_at} />
                    </td>
                  </tr>
                ))}
              </Table>
              {!isWhole && list.length > mostAtOnce && (
                <p>
                  <button type="button" onClick={() => setQuery({ all: 'yes' }, false)}>
                    Show all {list.length.toLocaleString()} endpoints
                  </button>
                </p>
              )}
            </div>
          );
        }}
      </Loaded>
      {isCreating && <CreateEndpoint created={created} close={() => setCreating(false)} />}
      {secret !== '' && <ShownOnce title="Signing secret" secret={secret} close={() => setSecret('')} />}
    </>
  );
}

function CreateEndpoint({ created, close }: { created: (secret: string) => void; close: () => void }) {
  return (
    <FormDialog
      title="Add an endpoint"
      button="Add"
      close={close}
      send={async (field) => {
        const description = field('description').trim() || null;
        created((await api.webhooks.createEndpoint({ url: field('url'), description })).secret);
      }}
    >
      <label>
        Address
        <input name="url" type="url" required placeholder="https://" />
      </label>
      <label>
        Description
        <input name="description" maxLength={255} />
      </label>
    </FormDialog>
  );
}
