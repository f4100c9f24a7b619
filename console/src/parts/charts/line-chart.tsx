import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartSeries } from '../../../../clients/typescript/src/index.ts';
import { sourceOf, typeName } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { clockOf, type Zone, zoneName } from '../../zone.ts';
import type { Span } from './chart-span.ts';

/** A line as it is drawn: columns of equal length, and null where it is interrupted. */
export interface Line {
  readonly label: string;
  readonly unit: string;
  readonly aggregate: string;
  readonly first_time: string;
  readonly offset_seconds: readonly number[];
  readonly value: Column;
  readonly min: Column;
  readonly max: Column;
  /** How the axis and the table show a value. */
  readonly text?: (value: number) => string;
  /** The axis has its least value on top. */
  readonly isInverted?: boolean;
}

/** The line of a series. */
export function lineOf(series: ChartSeries): Line {
  const { value = [], min = value, max = value, ...rest } = series;
  return { ...rest, value, min, max, label: labelOf(series) };
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const palettes = {
  dark: { text: '#9fb0ad', grid: '#2f3d41', lines: ['#2dd4bf', '#fbbf24', '#c4b5fd', '#fb923c'] },
  light: { text: '#56635f', grid: '#d3dcda', lines: ['#0f766e', '#b45309', '#6d28d9', '#c2410c'] },
};
const heightRem = 20;

/** The colour of a line, beside its name. The style sheet has the same colours as the palettes. */
export function Swatch({ index }: { index: number }) {
  return <span class={`swatch line-${index % palettes.light.lines.length}`} aria-hidden="true" />;
}

/** Lines with a band from the least to the largest value. Dragging over a part of it zooms in. */
export function LineChart({
  series,
  span,
  zoom,
}: {
  series: readonly Line[];
  span: Span;
  zoom: (span: Span) => void;
}) {
  const zone = useZone();
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const draw = () => {
      current.replaceChildren();
      return new uPlot(
        {
          ...optionsOf({ series, span, zone }, current.clientWidth, (next) => latest.current(next)),
          ...clockIn(zone),
        },
        columnsOf(series),
        current,
      );
    };
    let plot = draw();
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: current.clientWidth, height: plot.height }),
    );
    resized.observe(current);
    dark.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [series, span, zone]);
  return <div ref={place} class="plot" aria-hidden="true" />;
}

type Column = readonly (number | null)[];
type GrowingColumn = (number | null)[];

/** The times of all series, then three columns of each: value, least, largest. */
function columnsOf(series: readonly Line[]): uPlot.AlignedData {
  return series.length === 0 ? [[]] : uPlot.join(series.map(columnsOfOne));
}

// An empty point in a gap interrupts the line.
function columnsOfOne(one: Line): uPlot.AlignedData {
  const start = Date.parse(one.first_time) / 1000;
  const { value, min, max, offset_seconds } = one;
  const columns: [number[], GrowingColumn, GrowingColumn, GrowingColumn] = [[], [], [], []];
  const longest = gapFactor * usualSeconds(offset_seconds);
  offset_seconds.forEach((offset, index) => {
    const before = offset_seconds[index - 1] ?? offset;
    if (offset - before > longest) push(columns, start + (before + offset) / 2, null, null, null);
    push(columns, start + offset, value[index] ?? null, min[index] ?? null, max[index] ?? null);
  });
  return columns;
}

const gapFactor = 8;

/** The median of the distances between points: a series of every second has other gaps than one of every quarter hour. */
function usualSeconds(offsets: readonly number[]): number {
  const distances = offsets.slice(1).map((offset, index) => offset - (offsets[index] ?? offset));
  return distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
}

function push(
  [times, ...rest]: [number[], GrowingColumn, GrowingColumn, GrowingColumn],
  time: number,
  ...values: Column
): void {
  times.push(time);
  rest.forEach((column, index) => {
    column.push(values[index] ?? null);
  });
}

function optionsOf(
  { series, span: { from, to }, zone }: { series: readonly Line[]; span: Span; zone: Zone },
  width: number,
  zoom: (span: Span) => void,
): uPlot.Options {
  const { text, grid, lines } = dark.matches ? palettes.dark : palettes.light;
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const font = `${rem * 0.75}px system-ui, sans-serif`;
  const lined = { grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const axis = { stroke: text, font, labelFont: font, ...lined };
  const units = [...new Map(series.map((one) => [one.unit, one])).values()];
  const colour = (index: number) => lines[index % lines.length] ?? text;
  return {
    width,
    height: rem * heightRem,
    scales: {
      x: { time: true, min: from, max: to },
      ...Object.fromEntries(
        units.map(({ unit, isInverted = false }) => [unit, { dir: isInverted ? -1 : 1 }]),
      ),
    },
    axes: [
      { ...axis, size: rem * 3, label: zoneName(zone), labelSize: rem * 1.25 },
      ...units.map(({ unit: scale, text: show }, side) => ({
        ...axis,
        scale,
        label: scale,
        side: side % 2 === 0 ? 3 : 1,
        size: rem * 3.75,
        ...(show === undefined ? {} : { values: (_: uPlot, ticks: number[]) => ticks.map(show) }),
      })),
    ],
    series: [
      {},
      ...series.flatMap((one, index) => [
        { label: one.label, scale: one.unit, stroke: colour(index), width: 1.5, spanGaps: false },
        { label: 'least', scale: one.unit, width: 0, points: { show: false } },
        { label: 'largest', scale: one.unit, width: 0, points: { show: false } },
      ]),
    ],
    bands: series.flatMap((one, index) =>
      one.aggregate === 'sum' ? [] : [{ series: [index * 3 + 3, index * 3 + 2], fill: `${colour(index)}40` }],
    ),
    cursor: { drag: { x: true, y: false, setScale: false } },
    legend: { show: false },
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width: wide } = plot.select;
          if (wide > 3) zoom({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + wide, 'x') });
        },
      ],
    },
  };
}

/** The time axis shows the clock of a zone. */
function clockIn(zone: Zone): Pick<uPlot.Options, 'tzDate'> {
  const { ahead, timeZone } = clockOf(zone);
  return { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000 + ahead), timeZone) };
}

/** The name of a series: its type and its source. */
const labelOf = ({ type, source, recording_method: method }: ChartSeries) =>
  `${typeName(type)}, ${sourceOf(source)}${method === undefined ? '' : `, ${method.replace('_', ' ')}`}`;
