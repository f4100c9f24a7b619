import { useMemo, useState } from 'preact/hooks';
import type { ChartSeries, SeriesType } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { typeName } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { dateAndSecond, formatIn, type Zone, zoneName } from '../../zone.ts';
import { Empty, Loaded } from '../states.tsx';
import { duration } from '../time.tsx';
import { DataTable, format } from './bars.tsx';
import { type Span, timeOf } from './chart-span.ts';
import { type Line, LineChart, lineOf, Swatch } from './line-chart.tsx';

const ranges = [
  ['Hour', 3600],
  ['Day', 86_400],
  ['Week', 7 * 86_400],
  ['Month', 30 * 86_400],
  ['Year', 366 * 86_400],
] as const;
const shortest = 60;
const longest = 366 * 86_400;
/** Six steps lead from a year to a minute. */
const zoomFactor = 10;
const mostInTable = 500;

/** The last seconds of a user's data, up to now. */
export function lastSeconds(seconds: number): Span {
  const to = Math.ceil(Date.now() / 60_000) * 60;
  return { from: to - seconds, to };
}

/** The series of a user over time, at the resolution that fits the span. */
export function SeriesChart(props: {
  userId: string;
  available: readonly SeriesType[];
  span: Span;
  setSpan: (span: Span) => void;
  version: number;
}) {
  const { userId, available, span, setSpan, version } = props;
  const [chosen, setChosen] = useState<readonly SeriesType[]>([]);
  const types = chosen.length > 0 ? chosen : firstOf(available);
  const chart = useResource(
    JSON.stringify([userId, types, span, version]),
    (signal) =>
      api.timeseries.chart(
        {
          user_id: userId,
          types: [...types],
          start_time: timeOf(span.from),
          end_time: timeOf(span.to),
          max_points: 1000,
          aggregates: ['value', 'min', 'max'],
        },
        { signal },
      ),
    true,
  );
  return (
    <>
      <details>
        <summary>
          {types.map(typeName).join(', ')} <span class="faint">(choose)</span>
        </summary>
        <fieldset class="row">
          <legend>At most four series</legend>
          {available.map((type) => (
            <label key={type} class="choice">
              <input
                type="checkbox"
                checked={types.includes(type)}
                disabled={!types.includes(type) && types.length >= 4}
                onChange={() =>
                  setChosen(types.includes(type) ? types.filter((one) => one !== type) : [...types, type])
                }
              />
              {typeName(type)}
            </label>
          ))}
        </fieldset>
      </details>
      <SpanButtons span={span} setSpan={setSpan} />
      <Loaded of={chart} what="chart">
        {({ series }) =>
          series.length === 0 ? (
            <Empty>There is no data in this span. Choose a longer one, or another time.</Empty>
          ) : (
            <Figure series={series} span={span} setSpan={setSpan} />
          )
        }
      </Loaded>
    </>
  );
}

const firstOf = (available: readonly SeriesType[]) =>
  available.includes('heart_rate') ? ['heart_rate' as const] : available.slice(0, 1);

function Figure({
  series,
  span,
  setSpan,
}: {
  series: readonly ChartSeries[];
  span: Span;
  setSpan: (span: Span) => void;
}) {
  const lines = useMemo(() => series.map(lineOf), [series]);
  return (
    <figure>
      <figcaption>
        {series.map((one, index) => (
          <div key={lines[index]?.label}>
            <Swatch index={index} /> {lines[index]?.label} <span class="faint">{resolutionOf(one)}</span>
          </div>
        ))}
      </figcaption>
      <LineChart series={lines} span={span} zoom={setSpan} />
      <LineTables lines={lines} />
    </figure>
  );
}

/** The values of each line as a table. */
function LineTables({ lines }: { lines: readonly Line[] }) {
  const zone = useZone();
  return lines.map((line) => (
    <DataTable
      key={line.label}
      title={line.label}
      head={[`Time (${zoneName(zone)})`, `${line.aggregate} (${line.unit})`, 'Least', 'Largest']}
      rows={() => rowsOf(line, zone)}
    />
  ));
}

function resolutionOf({ bucket_seconds, aggregate, unit, offset_seconds }: ChartSeries): string {
  const points = `${offset_seconds.length} ${offset_seconds.length === 1 ? 'point' : 'points'}`;
  if (bucket_seconds === null) return `${unit}, every sample, ${points}`;
  return `${unit}, ${aggregate} per ${duration(bucket_seconds)}, ${points}`;
}

function rowsOf(line: Line, zone: Zone): string[][] {
  const { first_time, offset_seconds, value, min, max, text: show = format } = line;
  const start = Date.parse(first_time);
  const clock = formatIn(zone, dateAndSecond);
  const text = (one: number | null | undefined) => (one === undefined || one === null ? '' : show(one));
  return offset_seconds
    .slice(0, mostInTable)
    .map((offset, index) => [
      clock(start + offset * 1000),
      text(value[index]),
      text(min[index]),
      text(max[index]),
    ]);
}

function SpanButtons({ span, setSpan }: { span: Span; setSpan: (span: Span) => void }) {
  const { from, to } = span;
  const zone = useZone();
  const clock = formatIn(zone, dateAndSecond);
  const seconds = to - from;
  const scaled = (factor: number) => {
    const wide = Math.min(longest, Math.max(shortest, seconds * factor));
    const middle = (from + to) / 2;
    setSpan({ from: middle - wide / 2, to: middle + wide / 2 });
  };
  const moved = (part: number) => setSpan({ from: from + seconds * part, to: to + seconds * part });
  return (
    <div class="row spans">
      {ranges.map(([name, wide]) => (
        <button
          key={name}
          type="button"
          aria-pressed={Math.abs(seconds - wide) < 1}
          onClick={() => setSpan(lastSeconds(wide))}
        >
          {name}
        </button>
      ))}
      <button type="button" onClick={() => moved(-0.5)}>
        Earlier
      </button>
      <button type="button" onClick={() => moved(0.5)}>
        Later
      </button>
      <button type="button" onClick={() => scaled(1 / zoomFactor)} disabled={seconds <= shortest}>
        Zoom in
      </button>
      <button type="button" onClick={() => scaled(zoomFactor)} disabled={seconds >= longest}>
        Zoom out
      </button>
      <span role="status" class="faint">
        {clock(from * 1000)} to {clock(to * 1000)} {zoneName(zone)}
      </span>
    </div>
  );
}
