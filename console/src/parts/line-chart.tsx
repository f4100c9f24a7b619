import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartSeries } from '../../../clients/typescript/src/index.ts';
import type { Span } from './chart-span.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const palettes = {
  dark: { text: '#9fb0ad', grid: '#2f3d41', lines: ['#2dd4bf', '#fbbf24', '#c4b5fd', '#fb923c'] },
  light: { text: '#56635f', grid: '#d3dcda', lines: ['#0f766e', '#b45309', '#6d28d9', '#c2410c'] },
};
const height = 320;

/** Lines with a band from the least to the largest value. Dragging over a part of it zooms in. */
export function LineChart({
  series,
  span,
  zoom,
}: {
  series: readonly ChartSeries[];
  span: Span;
  zoom: (span: Span) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const draw = () => {
      current.replaceChildren();
      return new uPlot(
        optionsOf(series, span, current.clientWidth, (next) => latest.current(next)),
        columnsOf(series),
        current,
      );
    };
    let plot = draw();
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    dark.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [series, span]);
  return <div ref={place} class="plot" aria-hidden="true" />;
}

type Column = (number | null)[];

/** The times of all series, then three columns of each: value, least, largest. */
function columnsOf(series: readonly ChartSeries[]): uPlot.AlignedData {
  return series.length === 0 ? [[]] : uPlot.join(series.map(columnsOfOne));
}

// An empty point in a gap interrupts the line.
function columnsOfOne(one: ChartSeries): uPlot.AlignedData {
  const start = Date.parse(one.first_time) / 1000;
  const { value = [], offset_seconds } = one;
  const columns: [number[], Column, Column, Column] = [[], [], [], []];
  const longest = gapFactor * usualSeconds(offset_seconds);
  offset_seconds.forEach((offset, index) => {
    const before = offset_seconds[index - 1] ?? offset;
    if (offset - before > longest) push(columns, start + (before + offset) / 2, null, null, null);
    const mean = value[index] ?? null;
    push(columns, start + offset, mean, one.min?.[index] ?? mean, one.max?.[index] ?? mean);
  });
  return columns;
}

const gapFactor = 8;

/** The median of the distances between points: a series of every second has other gaps than one of every quarter hour. */
function usualSeconds(offsets: readonly number[]): number {
  const distances = offsets.slice(1).map((offset, index) => offset - (offsets[index] ?? offset));
  return distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
}

function push([times, ...rest]: [number[], Column, Column, Column], time: number, ...values: Column): void {
  times.push(time);
  rest.forEach((column, index) => {
    column.push(values[index] ?? null);
  });
}

function optionsOf(
  series: readonly ChartSeries[],
  { from, to }: Span,
  width: number,
  zoom: (span: Span) => void,
): uPlot.Options {
  const { text, grid, lines } = dark.matches ? palettes.dark : palettes.light;
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const units = [...new Set(series.map(({ unit }) => unit))];
  const colour = (index: number) => lines[index % lines.length] ?? text;
  return {
    width,
    height,
    scales: { x: { time: true, min: from, max: to } },
    axes: [
      axis,
      ...units.map((scale, side) => ({
        ...axis,
        scale,
        label: scale,
        side: side % 2 === 0 ? 3 : 1,
        size: 60,
      })),
    ],
    series: [
      {},
      ...series.flatMap((one, index) => [
        { label: labelOf(one), scale: one.unit, stroke: colour(index), width: 1.5, spanGaps: false },
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

/** The name of a series: its type and its source. */
export const labelOf = ({ type, source }: ChartSeries) =>
  `${type.replaceAll('_', ' ')}, ${source.provider} ${source.device}`;
