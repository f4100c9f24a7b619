import { api } from '../api.ts';
import { Action } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { location, setQuery } from '../router.tsx';
import { can } from '../session.ts';
import { withTitles } from '../titles.ts';

const states = ['waiting', 'dead'] as const;
const everyMs = 5000;

/** Background work of the services that is due, or that is not attempted again. */
export function Jobs() {
  const state = states.find((one) => one === location.value.query.get('state')) ?? 'waiting';
  const jobs = useResource(
    state,
    (signal) => api.deliveries.listJobs({ state, limit: 100 }, { signal }),
    true,
  );
  useRepeated(everyMs, jobs.reload);
  return (
    <>
      <h1>Jobs</h1>
      <p>
        A job is background work of a service, such as an erasure. A dead job is not attempted again until it
        is retried.
      </p>
      <label class="filters">
        State
        <select value={state} onChange={(event) => setQuery({ state: event.currentTarget.value })}>
          {states.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Loaded of={jobs} what="jobs">
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              {state === 'waiting'
                ? 'No job is due. Each one is attempted as soon as it is.'
                : 'No job is dead. A job is dead once no further attempt can succeed.'}
            </Empty>
          ) : (
            <Table
              title="Jobs"
              head={['Due', 'Kind', 'Key', 'State', 'Failures', 'Error', 'Dead since', 'Actions']}
            >
              {data.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Time at={one.due_at} />
                  </td>
                  <td>{withTitles(one.kind)}</td>
                  <td>{withTitles(one.key)}</td>
                  <td>
                    <Badge state={one.state} />
                  </td>
                  <td>{one.failures}</td>
                  <td>{one.error}</td>
                  <td>{one.dead_at !== null && <Time at={one.dead_at} />}</td>
                  <td>
                    {can('deliveries.write') && one.state === 'dead' && (
                      <Action
                        run={async () => {
                          await api.deliveries.retryJob({ job_id: one.id });
                          jobs.reload();
                        }}
                      >
                        Retry
                        <span class="hidden"> {withTitles(`${one.kind} ${one.key}`)}</span>
                      </Action>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </>
  );
}
