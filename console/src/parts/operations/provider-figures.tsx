import type { Overview, ProviderSetup } from '../../../../clients/typescript/src/index.ts';
import { Link } from '../../router.tsx';
import { titleOf } from '../../titles.ts';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';

const states = ['active', 'expired', 'revoked'] as const;

/** The figures of each provider; each number leads to its list. */
export function ProviderFigures({
  overview,
  providers,
}: {
  overview: Overview;
  providers: readonly ProviderSetup[];
}) {
  return (
    <Table
      title="Figures of the providers"
      head={[
        'Provider',
        ...states.map((state) => `${state[0]?.toUpperCase()}${state.slice(1)}`),
        'Readable, p50',
        'Readable, p99',
        'Reads left today',
        'Last delivery',
      ]}
    >
      {providers.map((one) => (
        <tr key={one.provider}>
          <td>
            <Link to={`/providers#${one.provider}`}>{one.title}</Link>
          </td>
          {states.map((state) => (
            <td key={state}>
              <Connections overview={overview} provider={one.provider} state={state} />
            </td>
          ))}
          <Times overview={overview} provider={one.provider} />
          <td>
            <Quota setup={one} />
          </td>
          <td>
            {one.last_delivery_at === null ? (
              <span class="faint">none in two days</span>
            ) : (
              <Time at={one.last_delivery_at} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

type OfProvider = { overview: Overview; provider: string };

function Connections({ overview, provider, state }: OfProvider & { state: (typeof states)[number] }) {
  if (overview.connections === null) return <span class="faint">unknown</span>;
  const found = overview.connections.find((one) => one.provider === provider && one.status === state);
  return (
    <Link to={`/users?provider=${provider}&state=${state}`}>
      {(found?.count ?? 0).toLocaleString()}
      <span class="hidden">
        {' '}
        {state} connections to {titleOf(provider)}
      </span>
    </Link>
  );
}

function Times({ overview, provider }: OfProvider) {
  const times = overview.receipt_to_readable.find((one) => one.provider === provider);
  return (['p50_ms', 'p99_ms'] as const).map((name) => (
    <td key={name}>
      {times === undefined ? (
        <span class="faint">none</span>
      ) : (
        <Link to={`/deliveries?status=done&provider=${provider}`}>
          {times[name].toLocaleString()} ms
          <span class="hidden">
            , {name.slice(0, 3)} of {titleOf(provider)}
          </span>
        </Link>
      )}
    </td>
  ));
}

function Quota({ setup: { provider, quota } }: { setup: ProviderSetup }) {
  if (quota === null) return <span class="faint">no limit known</span>;
  return (
    <Link to={`/providers#${provider}`}>
      {quota.day_left.toLocaleString()} of {quota.day_limit.toLocaleString()}
      {quota.paused && ', paused'}
    </Link>
  );
}
