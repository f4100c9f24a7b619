import type { Overview } from '../../../../clients/typescript/src/index.ts';
import { Link } from '../../router.tsx';
import { can } from '../../session.ts';
import { latencyTicks, placeOf, shortTime } from './scale.ts';

const percent = (place: number) => `${(place * 100).toFixed(2)}%`;

/** The axis above the rows: the times from receipt until data can be read. */
export function LatencyAxis() {
  return (
    <span class="latency">
      <svg aria-hidden="true">
        {latencyTicks.map(({ at, text }) => (
          <text key={text} x={percent(at)} y="1.1em">
            {text}
          </text>
        ))}
      </svg>
      <span>
        Readable after<span class="hidden"> receipt, half and 99 of 100</span>
      </span>
    </span>
  );
}

/** The times of a provider on this axis: a dot for half of the deliveries, a ring for 99 of 100. */
export function LatencyDots({
  times,
  title,
}: {
  times: Overview['receipt_to_readable'][number] | undefined;
  title: string;
}) {
  if (times === undefined) return <span class="faint">no delivery yet</span>;
  const { provider, p50_ms, p99_ms } = times;
  const shown = (
    <span class="latency">
      <Dots p50={placeOf(p50_ms)} p99={placeOf(p99_ms)} />
      <span>
        {shortTime(p50_ms)} – {shortTime(p99_ms)}
        <span class="hidden"> from receipt until readable, half and 99 of 100 of {title}</span>
      </span>
    </span>
  );
  if (!can('deliveries.read')) return shown;
  return <Link to={`/deliveries?status=done&provider=${provider}`}>{shown}</Link>;
}

function Dots({ p50, p99 }: { p50: number; p99: number }) {
  return (
    <svg aria-hidden="true">
      {latencyTicks.map(({ at, text }) => (
        <line key={text} x1={percent(at)} x2={percent(at)} y1="0" y2="100%" class="axis" />
      ))}
      <line x1={percent(p50)} x2={percent(p99)} y1="50%" y2="50%" class="range" />
      <circle cx={percent(p99)} cy="50%" r="4.5" class="ring" />
      <circle cx={percent(p50)} cy="50%" r="4.5" />
    </svg>
  );
}
