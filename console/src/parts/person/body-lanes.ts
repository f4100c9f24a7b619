import type { Chart, ChartSeries, SeriesType } from '../../../../clients/typescript/src/index.ts';
import { sourceOf } from '../../titles.ts';
import { digits, temperature, weight, weightUnits } from '../../units.ts';
import { dateAndMinute, type Zone } from '../../zone.ts';
import { courseOf } from '../lanes/course.ts';
import type { Lane } from '../lanes/lane.ts';
import { type LineLane, lineLane } from '../lanes/line-lane.tsx';

/** The series of the body, at most ten for one request. */
export const bodyTypes = [
  'weight',
  'body_fat_percentage',
  'skeletal_muscle_mass',
  'blood_pressure_systolic',
  'blood_pressure_diastolic',
  'resting_heart_rate',
  'body_temperature',
  'skin_temperature',
  'vo2_max',
] as const satisfies readonly SeriesType[];

type Style = Pick<LineLane, 'name' | 'tone' | 'text' | 'mark' | 'smallestStep' | 'factor'> & {
  readonly lines: readonly (readonly [(typeof bodyTypes)[number], string])[];
};

const number = (value: number) => digits(value, 1);
const whole = (value: number) => digits(value, 0);
const withUnit = (unit: string) => (value: number) => `${number(value)} ${unit}`;

// Made anew each time: the units may have been changed.
const styles = (): readonly Style[] => [
  {
    name: 'Weight',
    tone: 'activity',
    lines: [['weight', 'weight']],
    mark: number,
    smallestStep: 0.5,
    text: (value) => weight(value),
    factor: weightUnits(),
  },
  {
    name: 'Body fat',
    tone: 'workout',
    lines: [['body_fat_percentage', 'body fat']],
    mark: number,
    text: withUnit('%'),
    smallestStep: 0.5,
  },
  {
    name: 'Muscle mass',
    tone: 'glucose',
    lines: [['skeletal_muscle_mass', 'muscle mass']],
    mark: number,
    text: (value) => weight(value),
    factor: weightUnits(),
    smallestStep: 0.5,
  },
  {
    name: 'Blood pressure',
    tone: 'heart',
    mark: whole,
    smallestStep: 10,
    text: withUnit('mmHg'),
    lines: [
      ['blood_pressure_systolic', 'systolic'],
      ['blood_pressure_diastolic', 'diastolic'],
    ],
  },
  {
    name: 'Resting heart rate',
    tone: 'heart',
    lines: [['resting_heart_rate', 'resting']],
    mark: whole,
    text: withUnit('bpm'),
    smallestStep: 2,
  },
  {
    name: 'Body temperature',
    tone: 'stress',
    lines: [['body_temperature', 'body']],
    mark: number,
    text: (value) => temperature(value),
    smallestStep: 0.2,
  },
  {
    name: 'Skin temperature',
    tone: 'stress',
    lines: [['skin_temperature', 'skin']],
    mark: number,
    text: (value) => temperature(value),
    smallestStep: 0.2,
  },
  {
    name: 'Maximal oxygen uptake',
    tone: 'oxygen',
    lines: [['vo2_max', 'uptake']],
    mark: whole,
    text: withUnit('ml/kg/min'),
    smallestStep: 1,
  },
];

const withinMs = 36 * 3_600_000;

/** A lane for each measurement and each source of it. */
export const bodyLanes = (chart: Chart, zone: Zone): Lane[] =>
  styles().flatMap((style) => lanesOf(style, chart, zone));

function lanesOf({ lines, ...style }: Style, { series }: Chart, zone: Zone): Lane[] {
  const types = lines.map(([type]) => type);
  const ofStyle = series.filter(({ type }) => types.some((one) => one === type));
  const bySource = Map.groupBy(ofStyle, ({ source }) => sourceOf(source));
  return [...bySource].flatMap(([note, all]) => {
    const drawn = lines.flatMap(([type, label]) => lineOf(all, type, label));
    const lane = lineLane({
      ...style,
      note,
      lines: drawn,
      zone,
      withinMs,
      instant: dateAndMinute,
      isSparse: true,
    });
    return lane === null ? [] : [lane];
  });
}

function lineOf(all: readonly ChartSeries[], type: SeriesType, label: string) {
  const found = all.find((one) => one.type === type);
  return found === undefined ? [] : [{ label, course: courseOf(found, undefined, false) }];
}
