import type { Signal } from '@preact/signals';
import { briefSource } from '../../titles.ts';
import type { DayAxis } from './day-axis.ts';
import { clockOfDay } from './lane-texts.ts';
import { minuteByKey, minutesOf } from './moment.ts';
import type { Picture } from './picture.ts';
import { byLane, momentText, type Reading, readingsAt, readingsOfDay } from './readings.ts';

/** The minute whose values are shown; null shows those of the whole day. */
export interface Moment {
  readonly at: number | null;
  readonly isByKey: boolean;
}

interface Scrubbed {
  readonly picture: Picture;
  readonly moment: Signal<Moment>;
}

/** The label of a reading, with its source where the lane has several. */
export const labelOf = ({ label, source }: Reading) =>
  source === null ? label : `${label}, ${briefSource(source)}`;

/** The values of all lanes at the moment, each always at the same place. */
export function Panel({ picture, moment }: Scrubbed) {
  const { at, isByKey } = moment.value;
  const ofDay = at === null ? readingsOfDay(picture) : [];
  return (
    <dl class="day-panel" aria-live={isByKey ? 'polite' : 'off'}>
      <div>
        <dt>Time</dt>
        <dd>{at === null ? 'whole day' : clockOfDay(picture.axis.zone)(at)}</dd>
      </div>
      {byLane(readingsAt(picture, at ?? picture.axis.from)).map((all) => {
        const shown = at === null ? ofDay.filter(({ id }) => id === all[0]?.id) : all;
        return (
          <div key={all[0]?.id} class={all.length > 2 ? 'wide' : ''}>
            <dt>{shown[0]?.label ?? all[0]?.label}</dt>
            <dd>{joined(shown)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

// Several sources of one lane: `62 / 60 bpm`.
function joined(all: readonly Reading[]): string {
  const known = all.filter(({ text }) => text !== '');
  return known.length === 0 ? '' : known.map(({ text }) => text).join(' / ') + (known[0]?.unit ?? '');
}

const minuteMs = 60_000;

/** The control over all lanes: arrow keys move it by a minute, with shift by 15, page keys by an hour. */
export function Slider({ picture, moment }: Scrubbed) {
  const { at } = moment.value;
  const { axis } = picture;
  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'Escape') moment.value = { at: null, isByKey: true };
    const next = minuteByKey(axis, moment.value.at, event.key, event.shiftKey); // keys may come faster than renderings
    if (next === null) return;
    event.preventDefault();
    moment.value = { at: next, isByKey: true };
  };
  return (
    <div
      class="day-slider"
      role="slider"
      tabIndex={0}
      aria-label="Time of the day"
      aria-valuemin={0}
      aria-valuemax={minutesOf(axis) - 1}
      aria-valuenow={at === null ? 0 : Math.round((at - axis.from) / minuteMs)}
      aria-valuetext={at === null ? 'whole day' : momentText(picture, at)}
      onKeyDown={press}
    />
  );
}

/** The line through all lanes at the moment. */
export function CursorLine({
  axis,
  moment,
  width,
  height,
}: {
  axis: DayAxis;
  moment: Signal<Moment>;
  width: number;
  height: number;
}) {
  const { at } = moment.value;
  const left = at === null ? 0 : Math.round(((at - axis.from) / (axis.to - axis.from)) * width);
  return (
    <div
      class="day-cursor"
      style={{ height: `${height}px`, transform: `translateX(${left}px)`, opacity: at === null ? '0' : '1' }}
    />
  );
}
