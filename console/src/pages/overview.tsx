import { useState } from 'preact/hooks';
import type { ProviderStatus, Received } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { Bars, format } from '../parts/bars.tsx';
import { Loaded } from '../parts/states.tsx';
import { duration } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link } from '../router.tsx';

/** How the service does: each number leads to its list. */
export function Overview() {
  const figures = useResource('figures', (signal) => readFigures(signal), true);
  useRepeated(10_000, figures.reload);
  return (
    <>
      <h1>Overview</h1>
      <Loaded of={figures} what="figures">
        {({ users, connected, status, failing }) => (
          <>
            <ul class="tiles">
              <Tile to="/users" name="Users" value={format(users)} />
              <Tile to="/users?connected=true" name="Users with a connection" value={format(connected)} />
              <Tile to="/webhooks" name="Failing endpoints" value={format(failing)} isBad={failing > 0} />
              {Object.entries(status.providers).map(([name, one]) => (
                <ProviderTiles key={name} name={name} status={one} />
              ))}
            </ul>
            {status.away.length > 0 && (
              <p class="problem" role="alert">
                Services that do not answer: {status.away.join(', ')}
              </p>
            )}
          </>
        )}
      </Loaded>
      <ReceivedChart />
    </>
  );
}

async function readFigures(signal: AbortSignal) {
  const [all, connected, status, endpoints] = await Promise.all([
    api.users.list({ limit: 1 }, { signal }),
    api.users.list({ limit: 1, connected: true }, { signal }),
    api.deliveries.status({ signal }),
    api.webhooks.listEndpoints({ signal }),
  ]);
  const failing = endpoints.filter(
    ({ failing_since, disabled_reason }) => failing_since !== null || disabled_reason !== null,
  );
  return { users: all.total, connected: connected.total, status, failing: failing.length };
}

function ProviderTiles({ name, status }: { name: string; status: ProviderStatus }) {
  const { deliveries, budget, answers } = status;
  const oldest = deliveries.oldest_waiting_seconds;
  return (
    <>
      <Tile
        to="/deliveries?status=ready"
        name={`${name}: deliveries waiting`}
        value={format(deliveries.waiting + deliveries.working)}
        note={oldest === null ? '' : `oldest ${duration(oldest)}`}
      />
      <Tile
        to="/deliveries?status=dead"
        name={`${name}: dead letters`}
        value={format(deliveries.dead)}
        isBad={deliveries.dead > 0}
      />
      <Tile
        to="/deliveries"
        name={`${name}: answer to a webhook`}
        value={answers.mean_ms === null ? 'none' : `${format(Math.round(answers.mean_ms))} ms`}
        note={answers.slowest_ms === null ? '' : `slowest ${format(answers.slowest_ms)} ms`}
      />
      {budget !== null && (
        <Tile
          to="/providers"
          name={`${name}: reads left today`}
          value={format(budget.day_left)}
          note={`of ${format(budget.day_limit)}`}
          isBad={budget.paused}
        />
      )}
    </>
  );
}

function Tile(props: { to: string; name: string; value: string; note?: string; isBad?: boolean }) {
  const { to, name, value, note = '', isBad = false } = props;
  return (
    <li>
      <Link to={to} class={isBad ? 'tile bad' : 'tile'}>
        <span>{name}</span>
        <strong>{value}</strong>
        <span class="faint">{note}</span>
      </Link>
    </li>
  );
}

function ReceivedChart() {
  const [period, setPeriod] = useState<'hour' | 'day'>('hour');
  const received = useResource(period, (signal) => api.deliveries.received({ period }, { signal }), true);
  useRepeated(15_000, received.reload);
  return (
    <section aria-labelledby="received">
      <h2 id="received">Data received</h2>
      <fieldset class="row">
        <legend class="hidden">Period</legend>
        {(['hour', 'day'] as const).map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="period" checked={period === one} onChange={() => setPeriod(one)} />
            Last {one}
          </label>
        ))}
      </fieldset>
      <Loaded of={received} what="received data">
        {(data) => (
          <div class="columns">
            <Bars title="Samples" unit="samples" bars={barsOf(data, 'samples')} />
            <Bars title="Deliveries" unit="deliveries" bars={barsOf(data, 'deliveries')} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

function barsOf({ start_time, bucket_seconds, providers }: Received, column: 'samples' | 'deliveries') {
  const columns = Object.values(providers).map((one) => one[column]);
  const length = Math.max(0, ...columns.map((one) => one.length));
  return Array.from({ length }, (_, index) => {
    const at = new Date(Date.parse(start_time) + index * bucket_seconds * 1000);
    const label = at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
    return { label, value: columns.reduce((sum, one) => sum + (one[index] ?? 0), 0) };
  });
}
