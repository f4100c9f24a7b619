import { useMemo } from 'preact/hooks';
import type { Chart, ChartSeries, Workout } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { UserZone, useZone } from '../../user-zone.ts';
import { format } from '../charts/bars.tsx';
import { moveSpan, type Span } from '../charts/chart-span.ts';
import { type Line, LineChart, lineOf, Swatch } from '../charts/line-chart.tsx';
import { paceOf, paceText } from '../charts/pace.ts';
import { LineTables } from '../charts/series-chart.tsx';
import { type Split, splitsOf, type Track } from '../charts/splits.ts';
import { Empty, Loaded } from '../states.tsx';
import { Table } from '../table.tsx';
import { WorkoutRoute } from './workout-route.tsx';

/** The heart rate, the pace and the kilometres of one workout, from its samples, and its route. */
export function WorkoutDetails({ userId, workout }: { userId: string; workout: Workout }) {
  const { id, start_time, end_time } = workout;
  const ofUser = useZone();
  const chart = useResource(`${userId} ${id} ${start_time} ${end_time}`, (signal) =>
    api.timeseries.chart(
      {
        ...{ user_id: userId, start_time, end_time },
        types: ['heart_rate', 'speed'],
        max_points: 2000,
        aggregates: ['value', 'min', 'max'],
      },
      { signal },
    ),
  );
  return (
    <section class="card" aria-label={`${workout.name}, details`}>
      <UserZone.Provider value={workout.zone_offset ?? ofUser}>
        <Loaded of={chart} what="workout">
          {(data) => <Course chart={data} workout={workout} />}
        </Loaded>
      </UserZone.Provider>
      <WorkoutRoute key={id} userId={userId} workout={workout} />
    </section>
  );
}

function Course({ chart, workout }: { chart: Chart; workout: Workout }) {
  const span = useMemo(() => spanOf(workout), [workout]);
  const heartRate = useMemo(() => ofSource(chart, 'heart_rate', workout), [chart, workout]);
  const speed = useMemo(() => ofSource(chart, 'speed', workout), [chart, workout]);
  const lines = useMemo(() => linesOf(heartRate, speed), [heartRate, speed]);
  if (lines.length === 0) return <Empty>There are no samples of heart rate or speed of this workout.</Empty>;
  return (
    <>
      <figure>
        <figcaption>
          {lines.map(({ label }, index) => (
            <div key={label}>
              <Swatch index={index} /> {label}
            </div>
          ))}
        </figcaption>
        <LineChart series={lines} span={span} zoom={show} />
        <LineTables lines={lines} />
      </figure>
      <button type="button" onClick={() => show(span)}>
        Show in the chart of all series
      </button>
      <Splits splits={splitsOf(trackOf(speed, span), trackOf(heartRate, span), workout.distance_meters)} />
    </>
  );
}

const spanOf = ({ start_time, end_time }: Workout): Span => ({
  from: Date.parse(start_time) / 1000,
  to: Date.parse(end_time) / 1000,
});

function show(span: Span): void {
  moveSpan(span);
  document.getElementById('content')?.scrollIntoView();
}

/** The series of the workout's own device, otherwise of its provider, otherwise any. */
function ofSource({ series }: Chart, type: 'heart_rate' | 'speed', { source }: Workout) {
  const all = series.filter((one) => one.type === type);
  const near = (one: ChartSeries) =>
    Number(one.source.provider === source.provider) + Number(one.source.device === source.device);
  return all.toSorted((one, other) => near(other) - near(one))[0];
}

function linesOf(heartRate: ChartSeries | undefined, speed: ChartSeries | undefined): Line[] {
  return [heartRate && lineOf(heartRate), speed && paceLine(speed)].filter((one) => one !== undefined);
}

// The fastest speed is the least pace.
function paceLine(speed: ChartSeries): Line {
  const { label, ...line } = lineOf(speed);
  const { value = [], min = value, max = value } = speed;
  return {
    ...{ ...line, label: label.replace('speed', 'pace'), unit: 'min/km', text: paceText, isInverted: true },
    ...{ value: value.map(paceOf), min: max.map(paceOf), max: min.map(paceOf) },
  };
}

function trackOf(series: ChartSeries | undefined, { from }: Span): Track {
  if (series === undefined) return { seconds: [], values: [] };
  const first = Date.parse(series.first_time) / 1000 - from;
  return { seconds: series.offset_seconds.map((offset) => first + offset), values: series.value ?? [] };
}

function Splits({ splits }: { splits: readonly Split[] }) {
  if (splits.length === 0) return null;
  return (
    <>
      <h3>Splits</h3>
      <Table title="Splits" head={['Kilometre', 'Distance', 'Time', 'Pace', 'Heart rate']}>
        {splits.map(({ number, meters, seconds, heartRate }) => (
          <tr key={number}>
            <td>{number}</td>
            <td>{format(meters / 1000)} km</td>
            <td>{paceText(seconds)}</td>
            <td>{paceText((seconds / meters) * 1000)} min/km</td>
            <td>{heartRate === null ? '' : `${Math.round(heartRate)} bpm`}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}
