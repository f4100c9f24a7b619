import { ownText } from '../../../domain/own-text.ts';
import { numberOf } from '../../../domain/recipe/read-fields.ts';
import type { DeviceType, IntervalSource } from '../../../domain/records/interval-records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { offsetOf, textOrNull } from '../../phone/normalise/item.ts';
import type { Row } from '../csv.ts';
import { type Entry, type Span, spanProblem } from '../entry.ts';

/** The cells of a row by the names of their columns. New exports have the table before the name: `com.samsung.health.weight.height`. */
export type Cells = Readonly<Record<string, unknown>>;

const bareNames = new Map<string, string>();
const mostNames = 10_000;

/** A row by the bare names of its columns. Of two columns with one name the first that has a value counts. */
export function cellsOf(row: Row): Cells {
  const cells: Record<string, string> = {};
  for (const [name, value] of Object.entries(row)) {
    const bare = bareNames.get(name) ?? name.slice(name.lastIndexOf('.') + 1);
    if (bareNames.size < mostNames) bareNames.set(name, bare);
    if ((cells[bare] ?? '') === '') cells[bare] = value.trim();
  }
  return cells;
}

/** Numbers that mean that there is no value: the largest of their types. */
const isNone = (value: number) =>
  value === 2_147_483_647 || value === -2_147_483_648 || Math.abs(value) > 3e38;

/** A number with a point or a comma; null if there is none. */
export function numberIn(cell: unknown): number | null {
  const value = numberOf(typeof cell === 'string' ? cell.replace(/^(-?\d+),(\d+)$/, '$1.$2') : cell);
  return value === null || isNone(value) ? null : value;
}

/** A number that is 0 where nothing was measured. */
export function measuredIn(cell: unknown): number | null {
  return numberIn(cell) || null;
}

/** A text; null if it is empty. It may be kept: a part of a member's text would keep the whole of it in memory. */
export function textIn(cell: unknown): string | null {
  const text = textOrNull(cell, 200);
  return text === null ? null : ownText(text);
}

/** The cells of some columns, to be kept. */
export const keptCells = (cells: Cells, columns: readonly string[]): Cells =>
  Object.fromEntries(columns.flatMap((name) => (name in cells ? [[name, textIn(cells[name])]] : [])));

/** The least number that is a time in milliseconds: one of 1973. */
const leastMs = 1e11;

/** An instant: milliseconds, or a text, which is UTC; null if it cannot be read. */
export function instantIn(cell: unknown): number | null {
  const number = numberOf(cell);
  if (number !== null) return number >= leastMs ? Math.round(number) : null;
  const [, date, time] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/.exec(textIn(cell) ?? '') ?? [];
  const ms = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** The date of a day, which is written as if the user's clock were UTC: it is never shifted. */
export function dateIn(cell: unknown): string | null {
  const text = /^\d{4}-\d\d-\d\d$/.exec(textIn(cell) ?? '')?.[0];
  const ms = instantIn(text === undefined ? cell : `${text} 00:00`);
  return ms === null ? null : new Date(ms).toISOString().slice(0, 10);
}

const longestOffsetMs = 18 * 60 * minuteMs;

/** The minutes of an offset: `UTC+0100`, or milliseconds in old exports; null if there is none. */
function offsetIn(cell: unknown): number | null {
  const number = numberIn(cell);
  const text = textIn(cell) ?? '';
  if (number === null || /^[+-]\d{4}$/.test(text)) return offsetOf(text.replace(/^(UTC|GMT)/i, ''));
  return Math.abs(number) <= longestOffsetMs ? Math.round(number / minuteMs) : null;
}

/** When a row was measured. */
export interface RowSpan extends Span {
  readonly zone_offset_minutes: number | null;
}

/** The span of a row by its own offset; a sentence if it cannot be stored. Without an end it is an instant. `hasEnd`: its end counts. */
export function spanOf(cells: Cells, nowMs: number, hasEnd = true): RowSpan | string {
  const start_ms = instantIn(cells.start_time);
  if (start_ms === null) return 'The time cannot be read.';
  const end_ms = (hasEnd ? instantIn(cells.end_time) : null) ?? start_ms;
  const span = { start_ms, end_ms, zone_offset_minutes: offsetIn(cells.time_offset) };
  return spanProblem(span, nowMs) ?? span;
}

/** The name of what measured a value if the archive names no device. */
export const ownName = 'Samsung Health';
const ownApps = /^com\.(samsung|sec)\./;

const deviceTypes: readonly (readonly [RegExp, DeviceType])[] = [
  [/\bring\b/i, 'ring'],
  [/watch|\bgear\b/i, 'watch'],
  [/\bfit\b|\bfit\d|\bband\b/i, 'band'],
];
/** The group of phones. */
const phones = '360001';

/** The devices of the archive. Rows name them by their ids. */
export class Devices {
  readonly #named = new Map<string, Pick<IntervalSource, 'device' | 'device_type'>>();
  readonly #sources = new Map<string, IntervalSource>();

  /** Adds a row of `device_profile`. */
  add(cells: Cells): Entry[] {
    const id = textIn(cells.deviceuuid);
    const device = textOrNull(cells.name, 100);
    if (id === null || device === null) return [];
    const ofName = deviceTypes.find(([pattern]) => pattern.test(device))?.[1];
    const ofGroup = cells.device_group === phones ? 'phone' : 'unknown';
    this.#named.set(id, { device, device_type: ofName ?? ofGroup });
    return [];
  }

  /** What measured a row. What another app wrote has the name of the app, which is a source of its own. */
  sourceOf({ pkg_name, deviceuuid }: Cells): IntervalSource {
    const writer = textIn(pkg_name);
    const app = writer === null || ownApps.test(writer) ? null : writer;
    const id = textIn(deviceuuid);
    const key = `${id}\n${app}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const named = app === null && id !== null ? this.#named.get(id) : undefined;
    const device = app?.slice(0, 100) ?? ownName;
    const source = { device_type: 'unknown', device, device_id: id, app, ...named } as const;
    if (this.#sources.size < mostNames) this.#sources.set(key, source);
    return source;
  }
}
