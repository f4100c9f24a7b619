import type {
  Chart,
  ChartSeries,
  ListedSleepSession,
  Score,
  SeriesType,
  Source,
  Workout,
} from '../../../../clients/typescript/src/index.ts';
import type { DayAxis } from './day-axis.ts';
import {
  type Gap,
  gapsOf,
  type Points,
  pointsOf,
  slotMeans,
  slotSums,
  sumOf,
  toleranceOf,
} from './points.ts';
import { type StageSpan, shownSleeps, stageSpans } from './sleep-of-day.ts';

/** What the API has of a day. */
export interface DayAnswers {
  readonly chart: Pick<Chart, 'series'>;
  /** The sessions that touch the day, with their stages. */
  readonly sleeps: readonly ListedSleepSession[];
  readonly workouts: readonly Workout[];
  readonly scores: readonly Score[];
}

/** The line of one source. */
interface Track {
  readonly source: Source;
  readonly points: Points;
  readonly tolerance: number;
  /** The means of the quarter hours of the day; null where there is no value. */
  readonly slotMeans: readonly (number | null)[];
}

/** A lane that is a line: its sources, that which covers most of the day first. */
export interface LineLane {
  readonly id: LineId;
  readonly tracks: readonly Track[];
}

/** Lanes that are lines, with their series. */
const lineTypes = {
  heart: 'heart_rate',
  stress: 'devicemaker_stress_level',
  battery: 'devicemaker_body_battery',
  oxygen: 'oxygen_saturation',
  glucose: 'blood_glucose',
} as const satisfies Readonly<Record<string, SeriesType>>;

/** The name of a lane that is a line. */
export type LineId = keyof typeof lineTypes;

/** Lanes that are shown where there is data, and may be folded away. */
const foldedLines = ['stress', 'battery', 'oxygen', 'glucose'] as const satisfies readonly LineId[];

/** The steps of a day by quarter hours, of the source that counted most. */
export interface Steps {
  readonly source: Source;
  readonly sums: readonly (number | null)[];
  readonly total: number;
}

/** A day as it is drawn. */
export interface Picture {
  readonly axis: DayAxis;
  readonly heart: LineLane;
  readonly gaps: readonly Gap[];
  readonly sleeps: readonly ListedSleepSession[];
  readonly stages: readonly StageSpan[];
  readonly steps: Steps | null;
  /** By their start. */
  readonly workouts: readonly Workout[];
  /** The other lines that have data. */
  readonly lines: readonly LineLane[];
  readonly scores: readonly Score[];
  /** The mean heart rate variability (RMSSD) of each source. */
  readonly variability: readonly { readonly source: Source; readonly mean: number }[];
}

/** The series that a day is drawn from. */
export const dayTypes: readonly SeriesType[] = [
  ...Object.values(lineTypes),
  'steps',
  'heart_rate_variability_rmssd',
];

/** The picture of a day from the answers of the API; `now` ends the gaps of a day that is not over. */
export function pictureOf(axis: DayAxis, answers: DayAnswers, now: number): Picture {
  const { series } = answers.chart;
  const heart = laneOf('heart', series, axis);
  const sleeps = shownSleeps(answers.sleeps.filter((one) => touches(one, axis)));
  return {
    axis,
    heart,
    sleeps,
    scores: answers.scores,
    gaps: gapsOf(
      heart.tracks.map(({ points }) => points),
      axis,
      now,
    ),
    stages: stageSpans(sleeps, axis),
    steps: stepsOf(series, axis),
    workouts: answers.workouts
      .filter((one) => touches(one, axis))
      .toSorted((one, other) => Date.parse(one.start_time) - Date.parse(other.start_time)),
    lines: foldedLines.map((id) => laneOf(id, series, axis)).filter(({ tracks }) => tracks.length > 0),
    variability: series
      .filter(({ type }) => type === 'heart_rate_variability_rmssd')
      .map(({ source, statistics }) => ({ source, mean: statistics.value })),
  };
}

/** Whether a record has a part in a day. */
const touches = (
  { start_time, end_time }: { readonly start_time: string; readonly end_time: string },
  { from, to }: Pick<DayAxis, 'from' | 'to'>,
) => Date.parse(end_time) > from && Date.parse(start_time) < to;

/** Whether nothing at all is known of a day. */
export const isEmpty = ({ heart, sleeps, steps, workouts, lines, scores }: Picture) =>
  steps === null && [heart.tracks, sleeps, workouts, lines, scores].every(({ length }) => length === 0);

function laneOf(id: LineId, series: readonly ChartSeries[], axis: DayAxis): LineLane {
  const tracks = series
    .filter(({ type }) => type === lineTypes[id])
    .map((one) => trackOf(one, axis))
    .filter(({ points }) => points.times.length > 0);
  return { id, tracks: tracks.toSorted((one, other) => coverage(other) - coverage(one)) };
}

function trackOf(series: ChartSeries, axis: DayAxis): Track {
  const points = pointsOf(series, axis);
  return {
    source: series.source,
    points,
    tolerance: toleranceOf(points),
    slotMeans: slotMeans(points, axis),
  };
}

const coverage = (track: Track) => track.slotMeans.filter((mean) => mean !== null).length;

function stepsOf(series: readonly ChartSeries[], axis: DayAxis): Steps | null {
  const sources = series
    .filter(({ type }) => type === 'steps')
    .map((one) => {
      const sums = slotSums(pointsOf(one, axis), axis);
      return { source: one.source, sums, total: sumOf(sums) };
    })
    .filter(({ sums }) => sums.some((sum) => sum !== null));
  return sources.toSorted((one, other) => other.total - one.total)[0] ?? null;
}
