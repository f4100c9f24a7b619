import { useState } from 'preact/hooks';
import type { Received } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { useChanges } from '../changes.ts';
import { Bars } from '../parts/charts/bars.tsx';
import { ProviderFigures } from '../parts/operations/provider-figures.tsx';
import { Loaded } from '../parts/states.tsx';
import { Tile } from '../parts/tile.tsx';
import { duration } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';

/** Figures need not follow each of many changes. */
const pauseMs = 5000;
/** Waiting times grow without a change. */
const everyMs = 15_000;

/** How the service does: each number leads to its list. */
export function Home() {
  const version = useChanges({ pauseMs });
  const figures = useResource(`${version}`, readFigures, true);
  useRepeated(everyMs, figures.reload);
  return (
    <>
      <h1>Home</h1>
      <Loaded of={figures} what="figures">
        {({ overview, providers }) => (
          <>
            {overview.away.length > 0 && (
              <p class="problem" role="alert">
                Services that do not answer: {overview.away.join(', ')}
              </p>
            )}
            <Tiles overview={overview} />
            <h2>Providers</h2>
            <p class="faint">
              Connections by state. Data is readable this long after the receipt of a delivery.
            </p>
            <ProviderFigures overview={overview} providers={providers} />
          </>
        )}
      </Loaded>
      <ReceivedChart version={version} />
    </>
  );
}

async function readFigures(signal: AbortSignal) {
  const [overview, providers] = await Promise.all([
    api.deliveries.overview({ signal }),
    api.deliveries.providers({ signal }),
  ]);
  return { overview, providers };
}

type OverviewFigures = Awaited<ReturnType<typeof readFigures>>['overview'];

function Tiles({ overview }: { overview: OverviewFigures }) {
  const { users, webhook_endpoints: endpoints, dead_deliveries, dead_jobs } = overview;
  const count = (name: 'dead_deliveries' | 'dead_jobs') =>
    `${overview[name].toLocaleString()}${overview.approximate.includes(name) ? ' or more' : ''}`;
  const failing = endpoints?.failing ?? 0;
  return (
    <ul class="tiles">
      <Tile to="/users" name="Users" value={users?.toLocaleString() ?? null} />
      <Tile
        to="/deliveries?status=ready"
        name="Oldest waiting delivery"
        value={waiting(overview.oldest_waiting_delivery_seconds)}
      />
      <Tile
        to="/deliveries?status=dead"
        name="Dead letters"
        value={count('dead_deliveries')}
        isBad={dead_deliveries > 0}
      />
      <Tile
        to="/jobs?state=waiting"
        name="Oldest waiting job"
        value={waiting(overview.oldest_waiting_job_seconds)}
      />
      <Tile to="/jobs?state=dead" name="Dead jobs" value={count('dead_jobs')} isBad={dead_jobs > 0} />
      <Tile
        to="/webhooks?state=failed"
        name="Failing endpoints"
        value={endpoints === null ? null : failing.toLocaleString()}
        note={endpoints === null ? '' : `${endpoints.enabled} enabled, ${endpoints.disabled} not`}
        isBad={failing > 0}
      />
    </ul>
  );
}

const waiting = (seconds: number | null) => (seconds === null ? 'none' : duration(seconds));

function ReceivedChart({ version }: { version: number }) {
  const [period, setPeriod] = useState<'hour' | 'day'>('hour');
  const received = useResource(
    `${period} ${version}`,
    (signal) => api.deliveries.received({ period }, { signal }),
    true,
  );
  useRepeated(everyMs, received.reload);
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
