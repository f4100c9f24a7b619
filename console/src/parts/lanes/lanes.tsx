import { type Signal, useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useZone } from '../../user-zone.ts';
import { dateAndMinute, dateAndSecond, formatIn, type Zone, zoneName } from '../../zone.ts';
import { DataTable } from '../charts/bars.tsx';
import { isLong, isShort, keyed } from './keys.ts';
import { type Frame, type Lane, rowTimes } from './lane.ts';
import './lanes.css';
import { type Range, timeTicks } from './time-ticks.ts';

const gutter = 56;
const end = 8;
const pixelsOfTick = 72;
/** Half of the width of a text at the axis. */
const lastTick = 24;

/** Lanes on one time axis with one cursor: the pointer or the arrow keys read all values at an instant. */
export function Lanes({ title, range, lanes }: { title: string; range: Range; lanes: readonly Lane[] }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const at = useSignal<number | null>(null);
  const frame = useMemo(() => frameOf(range, width), [range.from, range.to, width]);
  const point = (event: PointerEvent) => {
    const left = place.current?.getBoundingClientRect().left ?? 0;
    const part = (event.clientX - left - frame.left) / Math.max(1, frame.right - frame.left);
    at.value = Math.min(range.to, Math.max(range.from, range.from + part * (range.to - range.from)));
  };
  return (
    <figure class="lanes">
      <figcaption class="row between">
        <span>{title}</span>
        <Instant at={at} range={range} />
      </figcaption>
      <div
        ref={place}
        class="lane-rows"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => {
          at.value = null;
        }}
      >
        {lanes.map((lane) => (
          <LaneRow key={lane.id} lane={lane} frame={frame} width={width} at={at} />
        ))}
        <TimeAxis range={range} frame={frame} width={width} at={at} lanes={lanes} />
      </div>
      <LaneTable title={title} range={range} lanes={lanes} />
    </figure>
  );
}

function useWidth(place: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    setWidth(current.clientWidth);
    const resized = new ResizeObserver(() => setWidth(current.clientWidth));
    resized.observe(current);
    return () => resized.disconnect();
  }, [place]);
  return width;
}

function frameOf({ from, to }: Range, width: number): Frame {
  const [left, right] = [gutter, Math.max(gutter + 1, width - end)];
  return { left, right, x: (at) => left + ((at - from) / Math.max(1, to - from)) * (right - left) };
}

interface RowProps {
  readonly frame: Frame;
  readonly width: number;
  readonly at: Signal<number | null>;
}

const LaneRow = memo(function LaneRow({ lane, frame, width, at }: RowProps & { lane: Lane }) {
  return (
    <>
      <div class="lane-head">
        <span class={`swatch tone-${lane.tone}`} aria-hidden="true" />
        <strong>{lane.name}</strong>
        <span class="faint lane-note">{lane.note}</span>
        <span class="lane-value">
          <Value lane={lane} at={at} />
        </span>
      </div>
      <svg
        class={`lane tone-${lane.tone}`}
        width={width}
        height={lane.height}
        viewBox={`0 0 ${width} ${lane.height}`}
        role="img"
        aria-label={lane.sentence}
      >
        {width > 0 && lane.draw(frame)}
        <Cursor at={at} frame={frame} height={lane.height} />
      </svg>
    </>
  );
});

function Value({ lane, at }: { lane: Lane; at: Signal<number | null> }) {
  return <>{at.value === null ? lane.short : lane.read(at.value)}</>;
}

function Cursor({ at, frame, height }: { at: Signal<number | null>; frame: Frame; height: number }) {
  if (at.value === null) return null;
  const x = Math.round(frame.x(at.value)) + 0.5;
  return <line class="cursor" x1={x} x2={x} y1="0" y2={height} />;
}

function Instant({ at, range }: { at: Signal<number | null>; range: Range }) {
  const zone = useZone();
  return (
    <span
      class="faint lane-value"
      title={at.value === null ? undefined : `${new Date(at.value).toISOString()} (UTC)`}
    >
      {at.value === null ? zoneName(zone) : textOf(range, zone)(at.value)}
    </span>
  );
}

function textOf(range: Range, zone: Zone): (at: number) => string {
  if (isLong(range)) return formatIn(zone, dateAndMinute);
  return formatIn(zone, { timeStyle: isShort(range) ? 'medium' : 'short' });
}

function TimeAxis({ range, frame, width, at, lanes }: RowProps & { range: Range; lanes: readonly Lane[] }) {
  const zone = useZone();
  const ticks = useMemo(
    () => timeTicks(range, zone, (frame.right - frame.left) / pixelsOfTick),
    [range.from, range.to, zone, frame],
  );
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') at.value = null;
    const next = keyed(event.key, event.shiftKey, range, at.value);
    if (next === null) return;
    event.preventDefault();
    at.value = next;
  };
  const now = at.value ?? range.from;
  const values = lanes.map((lane) => [lane.name, lane.read(now)]).filter(([, value]) => value !== '');
  return (
    <div
      class="lane-axis"
      role="slider"
      tabIndex={0}
      aria-label="Time"
      aria-valuemin={range.from}
      aria-valuemax={range.to}
      aria-valuenow={now}
      aria-valuetext={`${textOf(range, zone)(now)}: ${values.map((one) => one.join(' ')).join(', ') || 'no values'}`}
      onKeyDown={press}
    >
      <svg width={width} height="24" viewBox={`0 0 ${width} 24`} aria-hidden="true">
        {width > 0 &&
          ticks.map((tick) => (
            <g key={tick.at}>
              <line class="grid" x1={frame.x(tick.at)} x2={frame.x(tick.at)} y1="0" y2="5" />
              <text x={Math.min(frame.x(tick.at), width - lastTick)} y="16" class="tick">
                {tick.text}
              </text>
            </g>
          ))}
      </svg>
    </div>
  );
}

/** The names of the lanes; that of a lane of two sources with its source. */
const headsOf = (lanes: readonly Lane[]) =>
  lanes.map(({ name, note }) =>
    lanes.filter((one) => one.name === name).length > 1 ? `${name}, ${note}` : name,
  );

function LaneTable({ title, range, lanes }: { title: string; range: Range; lanes: readonly Lane[] }) {
  const zone = useZone();
  const clock = formatIn(zone, dateAndSecond);
  return (
    <DataTable
      title={title}
      head={[`Time (${zoneName(zone)})`, ...headsOf(lanes)]}
      rows={() => rowTimes(lanes, range).map((at) => [clock(at), ...lanes.map((lane) => lane.read(at))])}
    />
  );
}
