import type { Overview, ProviderSetup } from '../../../../clients/typescript/src/index.ts';
import { Link } from '../../router.tsx';
import { can } from '../../session.ts';
import { ProviderTitle } from '../provider-title.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { Ago } from '../time.tsx';
import type { Figures } from './figures.ts';
import { LatencyAxis, LatencyDots } from './latency-dots.tsx';
import { slowestSentence } from './latency-sentence.ts';
import { counted } from './problems.ts';

/** The providers with connections or data, as rows with equal axes, and the names of the others. */
export function ProviderRows({ figures: { overview, providers } }: { figures: Figures }) {
  const used = providers.filter((one) => isUsed(overview, one));
  const others = providers.filter((one) => !isUsed(overview, one));
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">Providers</h2>
      {used.length === 0 ? (
        <Empty>No account is connected yet. Providers are compared here once data arrives.</Empty>
      ) : (
        <>
          <p class="faint">{slowestSentence(overview.receipt_to_readable)}</p>
          <Rows overview={overview} used={used} />
        </>
      )}
      {others.length > 0 && <Others others={others} />}
    </section>
  );
}

// Without an account, a provider may still send: a notification that tests a subscription, for example.
function isUsed({ connections, receipt_to_readable: times }: Overview, setup: ProviderSetup): boolean {
  const isOf = ({ provider }: { provider: string }) => provider === setup.provider;
  if (connections === null) return setup.last_delivery_at !== null || times.some(isOf);
  return connections.some((one) => isOf(one) && one.status !== 'revoked' && one.count > 0);
}

const head = ['Provider', 'Connections', <LatencyAxis key="axis" />, 'Reads left today', 'Last delivery'];

function Rows({ overview, used }: { overview: Overview; used: readonly ProviderSetup[] }) {
  return (
    <div class="provider-rows">
      <Table title="Figures of the providers" head={head}>
        {used.map((one) => (
          <tr key={one.provider}>
            <td>
              <Link to={`/providers#${one.provider}`}>
                <ProviderTitle provider={one.provider} />
              </Link>
            </td>
            <td>
              <Connections overview={overview} setup={one} />
            </td>
            <td>
              <LatencyDots
                times={overview.receipt_to_readable.find(({ provider }) => provider === one.provider)}
                title={one.title}
              />
            </td>
            <td>
              <Quota setup={one} />
            </td>
            <td>
              {one.last_delivery_at === null ? (
                <span class="faint">none recently</span>
              ) : (
                <Ago at={one.last_delivery_at} />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

function Connections({
  overview: { connections },
  setup: { provider, title },
}: {
  overview: Overview;
  setup: ProviderSetup;
}) {
  if (connections === null) return <span class="faint">unknown</span>;
  const countOf = (state: string) =>
    connections.find((one) => one.provider === provider && one.status === state)?.count ?? 0;
  const expired = countOf('expired');
  const link = (state: string) => `/users?provider=${provider}&state=${state}`;
  return (
    <>
      <Link to={link('active')}>
        {countOf('active').toLocaleString()}
        <span class="hidden"> active connections to {title}</span>
      </Link>
      {expired > 0 && (
        <>
          {', '}
          <Link to={link('expired')}>
            {expired.toLocaleString()} expired<span class="hidden"> connections to {title}</span>
          </Link>
        </>
      )}
    </>
  );
}

function Quota({ setup: { quota, connected_by } }: { setup: ProviderSetup }) {
  if (connected_by !== 'consent_page') return <span class="faint">sends by itself</span>;
  if (quota === null) return <span class="faint">no limit known</span>;
  const share = quota.day_limit === 0 ? 0 : quota.day_left / quota.day_limit;
  return (
    <span class={quota.paused || share < 0.1 ? 'meter low' : 'meter'}>
      <svg aria-hidden="true">
        <rect width="100%" height="100%" rx="3" class="whole" />
        <rect width={`${Math.max(0, Math.min(100, share * 100))}%`} height="100%" rx="3" />
      </svg>
      {quota.day_left.toLocaleString()} of {quota.day_limit.toLocaleString()}
      {quota.paused && ', paused'}
    </span>
  );
}

function Others({ others }: { others: readonly ProviderSetup[] }) {
  return (
    <details class="others">
      <summary>{counted(others.length, 'provider')} without connections</summary>
      <ul>
        {others.map(({ provider, configured }) => (
          <li key={provider}>
            <Link to={`/providers#${provider}`}>
              <ProviderTitle provider={provider} />
            </Link>
            {!configured && can('status.read') && <span class="faint others-note">settings are missing</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
