import { formatIn, type Zone } from '../../zone.ts';
import {
  bandOf,
  type Course,
  type Domain,
  decimalStep,
  domainOf,
  dotsOf,
  figuresOf,
  middleOf,
  pathOf,
  valueAt,
} from './course.ts';
import type { Frame, Lane, Tone } from './lane.ts';

/** A lane of one or two lines. */
export interface LineLane {
  readonly name: string;
  readonly note: string;
  readonly tone: Tone;
  readonly lines: readonly { readonly label: string; readonly course: Course }[];
  /** A value with its unit. */
  readonly text: (value: number) => string;
  /** A value of the axis, in its unit. */
  readonly mark: (value: number) => string;
  readonly zone: Zone;
  /** The axis has its least value on top, as for a pace. */
  readonly isInverted?: boolean;
  /** The least distance of two marks, in the unit of the axis. */
  readonly smallestStep?: number;
  /** The unit of the axis: how many of it are in the unit of the values. Default: 1. */
  readonly factor?: number;
  readonly stepFor?: (raw: number) => number;
  /** How far from a value the cursor still reads it. */
  readonly withinMs: number;
  /** The part of the values that the axis shows. Default: all. */
  readonly part?: number;
  readonly instant?: Intl.DateTimeFormatOptions;
  /** The values are few: each has a dot, and without a cursor the last one is shown instead of the mean. */
  readonly isSparse?: boolean;
}

const height = 104;
const clockStyle = { timeStyle: 'short' } as const;
const edge = 8;

/** A lane of lines with a band from the least to the largest values. Null without values. */
export function lineLane(of: LineLane): Lane | null {
  const lines = of.lines.filter(({ course }) => figuresOf(course) !== null);
  const domain = domainFor(lines, of);
  if (domain === null) return null;
  const read = (at: number) =>
    lines
      .flatMap(({ label, course }) => {
        const value = valueAt(course, at, of.withinMs);
        return value === null ? [] : [lines.length === 1 ? of.text(value) : `${label} ${of.text(value)}`];
      })
      .join(', ');
  return {
    id: `${of.name} ${of.note}`,
    name: of.name,
    note: of.note,
    tone: of.tone,
    height,
    read,
    sentence: sentenceOf(of, lines),
    short: shortOf(of, lines),
    times: lines.flatMap(({ course }) => course.times.filter((_, index) => course.values[index] !== null)),
    draw: (frame) => <Lines lines={lines} domain={domain} of={of} frame={frame} />,
  };
}

type Drawn = LineLane['lines'];

function domainFor(lines: Drawn, of: LineLane): Domain | null {
  const { part = 1, smallestStep = 0, factor = 1, stepFor = decimalStep } = of;
  const columns = lines.flatMap(({ course: { values, min, max } }) =>
    part < 1 ? values : [...min, ...max, ...values],
  );
  const middle = middleOf(columns, part);
  if (middle === null) return null;
  return domainOf(middle.least * factor, middle.largest * factor, { smallestStep, stepFor });
}

function sentenceOf(
  { name, text, zone, instant = clockStyle, isInverted = false }: LineLane,
  lines: Drawn,
): string {
  const clock = formatIn(zone, instant);
  return lines
    .flatMap(({ label, course }) => {
      const figures = figuresOf(course);
      if (figures === null) return [];
      const { least, largest, mean, largestAt, leastAt } = figures;
      const what = lines.length === 1 ? name : `${name}, ${label}`;
      const end = isInverted ? `fastest at ${clock(leastAt)}` : `highest at ${clock(largestAt)}`;
      return [`${what} from ${text(least)} to ${text(largest)}, mean ${text(mean)}, ${end}.`];
    })
    .join(' ');
}

function shortOf({ text, isSparse = false }: LineLane, lines: Drawn): string {
  if (isSparse) return lines.map(({ course }) => text(course.values.at(-1) ?? 0)).join(', ');
  const known = lines.map(({ course }) => figuresOf(course)).filter((one) => one !== null);
  return known.map(({ mean }) => `mean ${text(mean)}`).join(' and ');
}

function Lines({ lines, domain, of, frame }: { lines: Drawn; domain: Domain; of: LineLane; frame: Frame }) {
  const { mark, isInverted = false, factor = 1 } = of;
  const { least, largest, marks } = domain;
  const [top, bottom] = isInverted ? [least, largest] : [largest, least];
  const place = (value: number) => {
    const inside = Math.min(largest, Math.max(least, value));
    return edge + ((inside - top) / (bottom - top)) * (height - 2 * edge);
  };
  const y = (value: number) => place(value * factor);
  return (
    <>
      {marks.map((value) => (
        <g key={value}>
          <line class="grid" x1={frame.left} x2={frame.right} y1={place(value)} y2={place(value)} />
          <text x={frame.left - 6} y={place(value)} class="mark">
            {mark(value)}
          </text>
        </g>
      ))}
      {lines.map(({ label, course }, index) => (
        <g key={label} class={index === 0 ? '' : 'second'}>
          <path class="band" d={bandOf(course, frame.x, y)} />
          <path class="curve" d={pathOf(course, frame.x, y)} />
          {of.isSparse && <path class="dots" d={dotsOf(course, frame.x, y)} />}
        </g>
      ))}
    </>
  );
}
