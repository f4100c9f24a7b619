import { useState } from 'preact/hooks';
import { type FreshnessRow, type Provider, providers } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { freshnessStates, incidentReasons, kindNames, stateMeanings } from '../freshness-texts.ts';
import { Badge } from '../parts/badge.tsx';
import { CursorList } from '../parts/cursor-list.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { duration, Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link, location, setQuery } from '../router.tsx';
import { titleOf } from '../titles.ts';

/** States change without an event that the change feed has. */
const everyMs = 15_000;

/** Whether data arrives as expected: open incidents of providers, and kinds of data by state. */
export function Freshness() {
  const [version, setVersion] = useState(0);
  useRepeated(everyMs, () => setVersion((last) => last + 1));
  return (
    <>
      <h1>Freshness</h1>
      <p>
        Data of each connection is expected again and again. Missing data is read again automatically before
        it counts as stale.
      </p>
      <h2>Open incidents</h2>
      <OpenIncidents version={version} />
      <h2>Data by state</h2>
      <ByState version={version} />
    </>
  );
}

function OpenIncidents({ version }: { version: number }) {
  const incidents = useResource(`${version}`, (signal) => api.freshness.incidents({ signal }), true);
  return (
    <Loaded of={incidents} what="incidents">
      {({ data }) => {
        const open = data.filter(({ ended_at }) => ended_at === null);
        if (open.length === 0)
          return (
            <Empty>
              No provider has an incident. One begins when data of far more connections than usual turns late
              in an hour, or when most requests to the provider fail.
            </Empty>
          );
        return (
          <ul aria-label="Open incidents">
            {open.map(({ id, provider, reason, started_at }) => (
              <li key={id}>
                <strong>{titleOf(provider)}</strong> since <Time at={started_at} />: {incidentReasons[reason]}
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

function ByState({ version }: { version: number }) {
  const { query } = location.value;
  const state = freshnessStates.find((one) => one === query.get('state')) ?? 'stale';
  const provider = providers.find((one) => one === query.get('provider'));
  const filter = provider === undefined ? { state } : { state, provider };
  return (
    <>
      <Filters state={state} provider={provider} />
      <CursorList
        name={`freshness ${state} ${provider ?? ''}`}
        what="data by state"
        version={version}
        load={(page, signal) => api.freshness.list({ ...filter, ...page, limit: 25 }, { signal })}
      >
        {(items) =>
          items.length === 0 ? (
            <Empty>
              No data{provider === undefined ? '' : ` of ${titleOf(provider)}`} is {state}.{' '}
              {stateMeanings[state]}
            </Empty>
          ) : (
            <>
              <p class="faint">{stateMeanings[state]}</p>
              <Rows items={items} />
            </>
          )
        }
      </CursorList>
    </>
  );
}

function Filters({ state, provider }: { state: string; provider: Provider | undefined }) {
  const choices = [
    ['state', 'State', state, freshnessStates.map((one) => [one, one] as const)],
    ['provider', 'Provider', provider ?? '', providers.map((one) => [one, titleOf(one)] as const)],
  ] as const;
  return (
    <div class="row filters">
      {choices.map(([name, title, value, values]) => (
        <label key={name}>
          {title}
          <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value }, false)}>
            {name === 'provider' && <option value="">any</option>}
            {values.map(([one, text]) => (
              <option key={one} value={one}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}

function Rows({ items }: { items: readonly FreshnessRow[] }) {
  const head = ['User', 'Provider', 'Data', 'State', 'Since', 'Last arrival', 'Expected within', 'Repairs'];
  return (
    <Table title="Data by state" head={head}>
      {items.map((one) => (
        <tr key={`${one.connection_id} ${one.data_type}`}>
          <td>
            <Link to={`/users/${one.user_id}`}>
              <code>{one.user_id.slice(0, 8)}</code>
            </Link>
          </td>
          <td>{titleOf(one.provider)}</td>
          <td>{kindNames[one.data_type]}</td>
          <td>
            <Badge state={one.state} />
          </td>
          <td>
            <Time at={one.since} />
          </td>
          <td>
            <Time at={one.last_arrival_at} />
          </td>
          <td>
            {one.expected_within_seconds === null ? (
              <span class="faint">not expected</span>
            ) : (
              duration(one.expected_within_seconds)
            )}
          </td>
          <td>{one.repairs}</td>
        </tr>
      ))}
    </Table>
  );
}
