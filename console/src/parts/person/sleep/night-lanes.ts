import type { Chart, SeriesType, SingleSleepSession } from '../../../../../clients/typescript/src/index.ts';
import { sourceOf } from '../../../titles.ts';
import { digits, temperature } from '../../../units.ts';
import { formatIn, type Zone } from '../../../zone.ts';
import { courseOf } from '../../lanes/course.ts';
import type { Lane, Tone } from '../../lanes/lane.ts';
import { lineLane } from '../../lanes/line-lane.tsx';
import { stageLane, stageName } from '../../lanes/stage-lane.tsx';
import { duration } from '../../time.tsx';
import { seriesNear } from '../near-source.ts';
import { spansOf, stageTotals } from './stages.ts';

interface NightSeries {
  readonly type: SeriesType;
  readonly name: string;
  readonly tone: Tone;
  readonly smallestStep: number;
  readonly text: (value: number) => string;
  readonly mark: (value: number) => string;
}

const number = (value: number) => digits(value, 1);
const whole = (value: number) => digits(value, 0);

const nightSeries: readonly NightSeries[] = [
  {
    type: 'heart_rate',
    name: 'Heart rate',
    tone: 'heart',
    smallestStep: 5,
    mark: whole,
    text: (value) => `${whole(value)} bpm`,
  },
  {
    type: 'respiratory_rate',
    name: 'Breathing',
    tone: 'activity',
    smallestStep: 1,
    mark: number,
    text: (value) => `${number(value)} breaths/min`,
  },
  {
    type: 'heart_rate_variability_rmssd',
    name: 'Heart rate variability',
    tone: 'stress',
    smallestStep: 10,
    text: (value) => `${whole(value)} ms`,
    mark: whole,
  },
  {
    type: 'heart_rate_variability_sdnn',
    name: 'Heart rate variability (SDNN)',
    tone: 'stress',
    smallestStep: 10,
    text: (value) => `${whole(value)} ms`,
    mark: whole,
  },
  {
    type: 'oxygen_saturation',
    name: 'Oxygen saturation',
    tone: 'oxygen',
    smallestStep: 2,
    text: (value) => `${number(value)} %`,
    mark: whole,
  },
  {
    type: 'skin_temperature',
    name: 'Skin temperature',
    tone: 'workout',
    smallestStep: 0.5,
    text: (value) => temperature(value),
    mark: number,
  },
];

const leastPoints = 3;
const withinMs = 15 * 60_000;

/** The lanes of a night: its stages, and each series of which there are values. */
export function nightLanes(session: SingleSleepSession, chart: Chart | undefined, zone: Zone): Lane[] {
  const spans = spansOf(session.stages_timeline);
  const stages =
    spans.length === 0
      ? []
      : [stageLane(spans, sourceOf(session.source), zone, stageSentence(session, zone))];
  const lines = nightSeries.map((one) => nightLane(one, session, chart, zone));
  return [...stages, ...lines.filter((lane) => lane !== null)];
}

function nightLane(one: NightSeries, session: SingleSleepSession, chart: Chart | undefined, zone: Zone) {
  const series = chart && seriesNear(chart, one.type, session.source);
  if (series === undefined || series.offset_seconds.length < leastPoints) return null;
  const lines = [{ label: one.name, course: courseOf(series) }];
  return lineLane({ ...one, note: sourceOf(series.source), lines, zone, withinMs });
}

function stageSentence(session: SingleSleepSession, zone: Zone): string {
  const clock = formatIn(zone, { timeStyle: 'short' });
  const totals = stageTotals(spansOf(session.stages_timeline), session.stages);
  const parts = totals.map(({ stage, minutes }) => `${stageName(stage)} ${duration(minutes * 60)}`);
  return `Stages of sleep from ${clock(session.start_time)} to ${clock(session.end_time)}: ${parts.join(', ')}.`;
}
