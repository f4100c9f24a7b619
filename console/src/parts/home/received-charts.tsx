import { useId } from 'preact/hooks';
import type { Received } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useRepeated, useResource } from '../../resource.ts';
import { Link, location, setQuery } from '../../router.tsx';
import { can } from '../../session.ts';
import { DataTable } from '../charts/bars.tsx';
import { Loaded } from '../states.tsx';
import { type Bucket, bucketsOf, receivedSentence } from './received.ts';
import { evenEnd } from './scale.ts';

const everyMs = 15_000;
const periods = ['hour', 'day'] as const;
type Period = (typeof periods)[number];

/** What arrived in the last hour or day: two charts with the same axis of time. */
export function ReceivedCharts({ version }: { version: number }) {
  const period = periods.find((one) => one === location.value.query.get('period')) ?? 'hour';
  const read = (signal: AbortSignal) => api.deliveries.received({ period }, { signal });
  const received = useResource(`${period} ${version}`, read, true);
  useRepeated(everyMs, received.reload);
  return (
    <section aria-labelledby="received">
      <div class="row between received-head">
        <h2 id="received">Data received</h2>
        <PeriodChoice period={period} />
      </div>
      <div class="received">
        <Loaded of={received} what="received data">
          {(data) => <Charts data={data} period={data.period} />}
        </Loaded>
      </div>
    </section>
  );
}

function PeriodChoice({ period }: { period: Period }) {
  return (
    <fieldset class="row">
      <legend class="hidden">Period</legend>
      {periods.map((one) => (
        <label key={one} class="choice">
          <input
            type="radio"
            name="period"
            checked={period === one}
            onChange={() => setQuery({ period: one === 'hour' ? '' : one }, false)}
          />
          Last {one}
        </label>
      ))}
    </fieldset>
  );
}

function Charts({ data, period }: { data: Received; period: Period }) {
  return (
    <div class="columns">
      <Chart title="Samples" buckets={bucketsOf(data, 'samples')} period={period} />
      <Chart title="Deliveries" buckets={bucketsOf(data, 'deliveries')} period={period} />
    </div>
  );
}

const timeText = (at: string) =>
  new Date(at).toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' });

interface ChartProps {
  readonly title: string;
  readonly buckets: readonly Bucket[];
  readonly period: Period;
}

function Chart({ title, buckets, period }: ChartProps) {
  const id = useId();
  return (
    <figure>
      <figcaption id={id}>
        {can('deliveries.read') ? <Link to="/deliveries?status=done">{title}</Link> : title}{' '}
        <span class="faint">{receivedSentence(buckets, period, timeText)}</span>
      </figcaption>
      <Columns id={id} title={title} buckets={buckets} />
      <DataTable
        title={title}
        head={['Time', title]}
        rows={() => buckets.map(({ at, value }) => [timeText(at), value.toLocaleString()])}
      />
    </figure>
  );
}

function Columns({ id, title, buckets }: Omit<ChartProps, 'period'> & { id: string }) {
  const end = evenEnd(Math.max(...buckets.map(({ value }) => value)));
  const step = 100 / Math.max(1, buckets.length);
  const middle = buckets[Math.floor(buckets.length / 2)];
  return (
    <div class="columns-chart">
      <span class="faint" aria-hidden="true">
        {end.toLocaleString()}
      </span>
      <svg role="img" aria-labelledby={id} viewBox="0 0 100 100" preserveAspectRatio="none">
        <title>{title}</title>
        {buckets.map(({ at, value }, index) => (
          <rect
            key={at}
            x={(index + 0.1) * step}
            y={100 - (100 * value) / end}
            width={step * 0.8}
            height={(100 * value) / end}
          >
            <title>{`${timeText(at)}: ${value.toLocaleString()} (${at})`}</title>
          </rect>
        ))}
      </svg>
      <p class="row ends" aria-hidden="true">
        {[buckets[0], middle].map((one) => one !== undefined && <span key={one.at}>{timeText(one.at)}</span>)}
        <span>now</span>
      </p>
    </div>
  );
}
