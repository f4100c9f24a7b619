import { useMemo } from 'preact/hooks';
import type {
  ChartSeries,
  SingleWorkout,
  WorkoutStreams,
} from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { useResource } from '../../../resource.ts';
import { sourceOf } from '../../../titles.ts';
import { digits, elevation, elevationUnits } from '../../../units.ts';
import type { Zone } from '../../../zone.ts';
import { paceText } from '../../charts/pace.ts';
import { type Course, clockStep, courseOf, courseThrough } from '../../lanes/course.ts';
import type { Lane } from '../../lanes/lane.ts';
import { type LineLane, lineLane } from '../../lanes/line-lane.tsx';
import { seriesNear } from '../near-source.ts';
import { motionOf } from './motion.ts';

const types = ['heart_rate', 'speed', 'power', 'cadence'] as const;

/** The series of a workout's time, of the source that is nearest to the workout's. */
export interface Courses {
  readonly heartRateSeries: ChartSeries | undefined;
  readonly speedSeries: ChartSeries | undefined;
  readonly powerSeries: ChartSeries | undefined;
  readonly cadenceSeries: ChartSeries | undefined;
  readonly heartRate: Course | null;
}

/** Reads the series of a workout's time. */
export function useCourses(userId: string, workout: SingleWorkout) {
  const { id, start_time, end_time, source } = workout;
  const chart = useResource(`${userId} ${id} ${start_time} ${end_time}`, (signal) =>
    api.timeseries.chart(
      {
        user_id: userId,
        start_time,
        end_time,
        types: [...types],
        max_points: 2000,
        aggregates: ['value', 'min', 'max'],
      },
      { signal },
    ),
  );
  const courses = useMemo((): Courses => {
    const near = (type: (typeof types)[number]) => chart.data && seriesNear(chart.data, type, source);
    const heartRateSeries = near('heart_rate');
    return {
      heartRateSeries,
      speedSeries: near('speed'),
      powerSeries: near('power'),
      cadenceSeries: near('cadence'),
      heartRate: heartRateSeries === undefined ? null : courseOf(heartRateSeries),
    };
  }, [chart.data, source.provider, source.device]);
  return { chart, courses };
}

const withinMs = 30_000;
/** The part of the values of a pace that its axis shows, so that a few stops do not flatten the rest. */
const shownPart = 0.96;
const whole = (value: number) => digits(value, 0);
const onFoot = ['running', 'walking', 'hiking'];

/** The lanes of a workout; the elevation is there once its streams are read. */
export function workoutLanes(
  workout: SingleWorkout,
  { heartRateSeries, heartRate, speedSeries, powerSeries, cadenceSeries }: Courses,
  streams: WorkoutStreams | null,
  zone: Zone,
): Lane[] {
  const lane = (series: ChartSeries | undefined, course: Course | null, rest: Style) =>
    series === undefined || course === null
      ? null
      : lineLane({
          ...rest,
          note: sourceOf(series.source),
          lines: [{ label: rest.name, course }],
          zone,
          withinMs,
        });
  const steps = onFoot.includes(workout.type);
  const lanes = [
    lane(heartRateSeries, heartRate, heartRateStyle),
    motionLane(workout, speedSeries, zone),
    elevationLane(workout, streams, zone),
    lane(powerSeries, powerSeries ? courseOf(powerSeries) : null, powerStyle),
    lane(cadenceSeries, cadenceSeries ? courseOf(cadenceSeries) : null, steps ? stepStyle : cadenceStyle),
  ];
  return lanes.filter((one) => one !== null);
}

type Style = Omit<LineLane, 'note' | 'lines' | 'zone' | 'withinMs'>;

const heartRateStyle: Style = {
  name: 'Heart rate',
  tone: 'heart',
  smallestStep: 10,
  mark: whole,
  text: (value) => `${whole(value)} bpm`,
};
const powerStyle: Style = {
  name: 'Power',
  tone: 'stress',
  smallestStep: 20,
  mark: whole,
  text: (value) => `${whole(value)} W`,
};
const cadenceStyle: Style = {
  name: 'Cadence',
  tone: 'glucose',
  smallestStep: 5,
  part: shownPart,
  mark: whole,
  text: (value) => `${whole(value)} rpm`,
};
// A cadence of feet counts one foot.
const stepStyle: Style = {
  name: 'Cadence',
  tone: 'glucose',
  smallestStep: 5,
  part: shownPart,
  factor: 2,
  mark: whole,
  text: (value) => `${whole(value * 2)} steps/min`,
};

function motionLane(workout: SingleWorkout, series: ChartSeries | undefined, zone: Zone): Lane | null {
  if (series === undefined) return null;
  const { name, convert, text, isPace, factor } = motionOf(workout.type);
  return lineLane({
    name,
    text,
    zone,
    withinMs,
    tone: 'activity',
    isInverted: isPace,
    part: shownPart,
    note: sourceOf(series.source),
    smallestStep: isPace ? 15 : 0.5,
    factor,
    ...(isPace ? { stepFor: clockStep, mark: paceText } : { mark: whole }),
    lines: [{ label: name, course: courseOf(series, convert) }],
  });
}

function elevationLane(workout: SingleWorkout, streams: WorkoutStreams | null, zone: Zone): Lane | null {
  const points = (streams?.data ?? []).filter(({ altitude = null }) => altitude !== null);
  const times = points.map(({ timestamp }) => Date.parse(timestamp));
  const course = courseThrough(
    times,
    points.map(({ altitude = null }) => altitude),
  );
  return lineLane({
    name: 'Elevation',
    note: sourceOf(workout.source),
    tone: 'workout',
    zone,
    withinMs,
    smallestStep: 5,
    factor: elevationUnits(),
    mark: whole,
    text: (meters) => elevation(meters),
    lines: [{ label: 'Elevation', course }],
  });
}
