import type { DayBaselines, MeasureBaseline } from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import { digits, temperature, weight, weightUnits } from '../../units.ts';
import type { Zone } from '../../zone.ts';
import type { Course } from '../lanes/course.ts';
import type { Lane } from '../lanes/lane.ts';
import { type LineLane, lineLane } from '../lanes/line-lane.tsx';
import { daysAgo } from '../time.tsx';

type Measure = MeasureBaseline['measure'];
type Style = Pick<LineLane, 'name' | 'tone' | 'text' | 'mark' | 'smallestStep' | 'factor'>;

const whole = (value: number) => digits(value, 0);
const tenths = (value: number) => digits(value, 1);
const minutesOfDay = 1440;
const noon = 720;

/** A time of the day from the minutes after the noon before. */
function clockText(minutesAfterNoon: number): string {
  const minutes = (Math.round(minutesAfterNoon) + noon) % minutesOfDay;
  return new Date(minutes * 60_000).toLocaleTimeString(undefined, { timeStyle: 'short', timeZone: 'UTC' });
}

// Made anew each time: the units may have been changed.
const styles = (): Readonly<Record<Measure, Style>> => ({
  resting_heart_rate: {
    name: 'Resting heart rate',
    tone: 'heart',
    mark: whole,
    smallestStep: 2,
    text: (value) => `${whole(value)} bpm`,
  },
  hrv_rmssd: {
    name: 'Variability (RMSSD)',
    tone: 'stress',
    mark: whole,
    smallestStep: 5,
    text: (value) => `${whole(value)} ms`,
  },
  hrv_sdnn: {
    name: 'Variability (SDNN)',
    tone: 'stress',
    mark: whole,
    smallestStep: 5,
    text: (value) => `${whole(value)} ms`,
  },
  respiratory_rate: {
    name: 'Breathing',
    tone: 'oxygen',
    mark: tenths,
    smallestStep: 0.5,
    text: (value) => `${tenths(value)} /min`,
  },
  skin_temperature: {
    name: 'Skin temperature',
    tone: 'workout',
    mark: tenths,
    smallestStep: 0.2,
    text: (value) => temperature(value),
  },
  skin_temperature_deviation: {
    name: 'Skin deviation',
    tone: 'workout',
    mark: tenths,
    smallestStep: 0.2,
    text: (value) => `${tenths(value)} °C`,
  },
  oxygen_saturation: {
    name: 'Blood oxygen',
    tone: 'oxygen',
    mark: whole,
    smallestStep: 1,
    text: (value) => `${tenths(value)} %`,
  },
  sleep_duration: {
    name: 'Sleep',
    tone: 'sleep',
    mark: tenths,
    smallestStep: 1,
    factor: 1 / 60,
    text: (value) => duration(value * 60),
  },
  sleep_middle: {
    name: 'Middle of the sleep',
    tone: 'sleep',
    mark: clockText,
    smallestStep: 60,
    text: clockText,
  },
  steps: {
    name: 'Steps',
    tone: 'activity',
    mark: whole,
    smallestStep: 1000,
    text: (value) => `${whole(value)} steps`,
  },
  weight: {
    name: 'Weight',
    tone: 'glucose',
    mark: tenths,
    smallestStep: 0.5,
    factor: weightUnits(),
    text: (value) => weight(value),
  },
});

const dayMs = 86_400_000;

/** A lane for each measure with values: the line of the days, and the band of what was usual before each of them. */
export function trendLanes(days: readonly DayBaselines[], zone: Zone): Lane[] {
  const measures = [...new Set(days.flatMap((day) => day.measures.map(({ measure }) => measure)))];
  const all = styles();
  return measures.flatMap((measure) => {
    const own = days.map((day) => ({
      at: Date.parse(`${day.date}T12:00:00Z`),
      date: day.date,
      one: day.measures.find((found) => found.measure === measure) ?? null,
    }));
    const lane = laneOf(all[measure], own, zone);
    return lane === null ? [] : [lane];
  });
}

interface Day {
  readonly at: number;
  readonly date: string;
  readonly one: MeasureBaseline | null;
}

function laneOf(style: Style, days: readonly Day[], zone: Zone): Lane | null {
  // Steps of a day that is not over are no whole value.
  const isWhole = (day: Day) => day.one?.measure !== 'steps' || day.date !== daysAgo(0, zone);
  const last = days.findLast((day) => day.one !== null && day.one.value !== null && isWhole(day));
  if (last?.one === undefined || last.one === null) return null;
  const lane = lineLane({
    ...style,
    note: '',
    zone,
    withinMs: dayMs / 2,
    isSparse: days.length < 40,
    instant: { dateStyle: 'medium' } as const,
    lines: [{ label: style.name, course: courseOf(days) }],
  });
  const sentence = sentenceOf(style, last.date, last.one);
  return lane && { ...lane, sentence: `${style.name}: ${sentence}.`, short: shortOf(style, last.one) };
}

function courseOf(days: readonly Day[]): Course {
  const column = (of: (one: MeasureBaseline) => number | null) =>
    days.map(({ one }) => (one === null ? null : of(one)));
  const edge = (side: number) => (one: MeasureBaseline) =>
    one.median === null || one.spread === null ? one.value : one.median + side * one.spread;
  return {
    times: days.map(({ at }) => at),
    values: column((one) => one.value),
    min: column(edge(-1)),
    max: column(edge(1)),
  };
}

// `58 bpm, above usual`: a narrow screen has no room for more.
function shortOf({ text }: Style, { value, median, spread }: MeasureBaseline): string {
  if (value === null || median === null || spread === null) return value === null ? '' : text(value);
  const side = Math.abs(value - median) <= spread ? 'as' : value > median ? 'above' : 'below';
  return `${text(value)}, ${side} usual`;
}

/** `58 bpm, above the usual 50 to 52 bpm for 3 days`. */
function sentenceOf({ text }: Pick<Style, 'text'>, date: string, one: MeasureBaseline): string {
  const { value, median, spread, unusual_days: days } = one;
  const shown = `${text(value ?? 0)} on ${date}`;
  if (value === null || median === null || spread === null) return `${shown}, usual values are not known yet`;
  const usual = `${text(median - spread)} to ${text(median + spread)}`;
  if (Math.abs(value - median) <= spread) return `${shown}, as usual (${usual})`;
  const side = value > median ? 'above' : 'below';
  const run = days === null || days < 2 ? '' : `, for ${days} days`;
  return `${shown}, ${side} the usual ${usual}${run}`;
}
