import { ownText } from '../../domain/own-text.ts';
import { ownValue } from '../../domain/own-value.ts';
import type { IntervalSource } from '../../domain/records/interval-records.ts';
import { dayMs, formatOffset, isoTime, minuteMs } from '../../domain/time/time.ts';
import { offsetMinutesIn } from '../../domain/time/zone.ts';
import { eventTypeOf, readEvent } from '../phone/normalise/event.ts';
import { type ItemSpan, isProblem, type Problem } from '../phone/normalise/item.ts';
import { recordTypeOf, recordWithin } from '../phone/normalise/record.ts';
import { type PhaseStage, phaseWithin } from '../phone/normalise/sleep-phase.ts';
import { sourceOf as sourceOfItem } from '../phone/normalise/source.ts';
import { type Entry, keyOf, skipped, spanProblem } from './entry.ts';

/** An element of an export of Apple Health with what it contains. */
export interface AppleElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The values of its `MetadataEntry` elements by their keys; null without any. */
  metadata: Record<string, string> | null;
  /** Its other elements; null without any. */
  children: AppleElement[] | null;
}

/** Stages of sleep by the ends of their names. */
const stages: Readonly<Record<string, PhaseStage>> = {
  InBed: 'in_bed',
  Asleep: 'asleep',
  AsleepUnspecified: 'asleep',
  Awake: 'awake',
  AsleepCore: 'light',
  AsleepDeep: 'deep',
  AsleepREM: 'rem',
};
const sleepType = 'HKCategoryTypeIdentifierSleepAnalysis';
const stagePrefix = 'HKCategoryValueSleepAnalysis';

/** The app sends a share of this type as percent, the export as a fraction. */
const oxygenSaturation = 'HKQuantityTypeIdentifierOxygenSaturation';

/** Reads a `Record`, or a `Correlation` that stands for a meal. Null: the correlation only groups records. */
export function readAppleRecord(element: AppleElement, nowMs: number, clock: ExportClock): Entry | null {
  const type = element.attributes.type ?? '';
  if (element.name === 'Correlation' && eventTypeOf(type) === undefined) return null;
  const span = spanOf(element, nowMs, clock);
  if (typeof span === 'string') return skipped(type, span);
  const source = sourceOf(element);
  const read = type === sleepType ? phaseOf(element, span, source) : recordOf(element, type, span, source);
  const made = read ?? eventOf(element, type, span, nowMs);
  if (made === null) return skipped(type, 'The type has no series and is no event.');
  return isProblem(made) ? skipped(type, sentenceOf(made)) : made;
}

/** A problem of an item as a sentence. */
export function sentenceOf({ field, reason }: Problem): string {
  const text = field === '' ? `The entry ${reason}` : `The ${field} ${reason}`;
  return `${text}.`;
}

function phaseOf({ attributes }: AppleElement, span: ItemSpan, source: IntervalSource): Entry | Problem {
  const { value = '' } = attributes;
  const stage = value.startsWith(stagePrefix) ? ownValue(stages, value.slice(stagePrefix.length)) : undefined;
  if (stage === undefined) return { field: 'value', reason: 'is not known for this type' };
  const phase = phaseWithin(span, { stage, source, score: null });
  return isProblem(phase) ? phase : { kind: 'phase', phase };
}

// Null: the type has no series.
function recordOf(
  { attributes }: AppleElement,
  type: string,
  span: ItemSpan,
  source: IntervalSource,
): Entry | Problem | null {
  const known = recordTypeOf(type);
  if (known === undefined) return null;
  const given = Number(attributes.value);
  const value = type === oxygenSaturation && attributes.unit === '%' ? given * 100 : given;
  const record = recordWithin({ value, unit: attributes.unit }, { known, span }, source);
  if (isProblem(record)) return record;
  if (record.kind === 'interval')
    return { kind: 'record', record: { ...record, id: keyOf(type, source, span, attributes.value) } };
  return { kind: 'record', record };
}

function eventOf(element: AppleElement, type: string, span: ItemSpan, nowMs: number): Entry | Problem | null {
  const known = eventTypeOf(type);
  if (known === undefined) return null;
  const { attributes } = element;
  const source = sourceOf(element);
  const value =
    known.type === 'cycle_record' ? codeOf(known.values, attributes.value) : Number(attributes.value);
  const { start_ms, end_ms } = span;
  const item = {
    id: keyOf(type, source, span, attributes.value),
    type,
    value,
    unit: attributes.unit,
    ...itemTimes(span),
    source: itemSource(source),
    metadata: element.metadata,
  };
  const event = readEvent(item, nowMs, null);
  if (event === null || isProblem(event)) return event;
  return { kind: 'item', item: event, type: known.type, span: { start_ms, end_ms } };
}

/** The source as an item of the app has it. */
export function itemSource({ device, device_type }: IntervalSource) {
  const method = device_type === 'manual' ? { recordingMethod: 'manual' } : { deviceType: device_type };
  return { deviceName: device, ...method };
}

// `HKCategoryValueCervicalMucusQualityEggWhite` is the code of `egg_white`.
function codeOf(values: Readonly<Record<number, string | null>>, name = ''): number | null {
  const words = name
    .replace(/^HKCategoryValue/, '')
    .replaceAll(/(?!^)([A-Z])/g, '_$1')
    .toLowerCase();
  const found = Object.entries(values).find(([, value]) => value !== null && words.endsWith(value));
  if (found !== undefined) return Number(found[0]);
  return name.endsWith('NotApplicable') && values[0] === null ? 0 : Number.NaN;
}

/** The times of an element as an item of the app has them. */
export function itemTimes({ start_ms, end_ms, zone_offset_minutes }: ItemSpan) {
  return {
    startDate: isoTime(start_ms),
    endDate: isoTime(end_ms),
    zoneOffset: formatOffset(zone_offset_minutes) ?? undefined,
  };
}

/**
 * What decides the local time of records. All times of an export are written with the offset that the phone has at the export, also
 * those of summer and of other places.
 */
export interface ExportClock {
  /** The time zone of the user, if it is known. */
  readonly timeZone: string | null;
  /** When the export was written, if it says so. */
  readonly exportedMs: number | null;
}

/** The span of an element; a sentence if it has none. The offset is the one of the start. */
export function spanOf(
  { attributes: { startDate, endDate }, metadata }: AppleElement,
  nowMs: number,
  clock: ExportClock,
): ItemSpan | string {
  const start = timeOf(startDate);
  const end = endDate === startDate ? start : timeOf(endDate);
  if (start === null || end === null) return 'The time cannot be read.';
  const span = { start_ms: start.ms, end_ms: end.ms };
  const problem = spanProblem(span, nowMs);
  if (problem !== null) return problem;
  const zone = metadata?.HKTimeZone;
  const own = zone === undefined ? null : offsetIn(zone.trim(), start.ms);
  return { id: '', ...span, zone_offset_minutes: own ?? offsetOfClock(clock, start) };
}

/** For so long the phone had the offset that it has at the export. */
const sameOffsetMs = 7 * dayMs;

function offsetOfClock({ timeZone, exportedMs }: ExportClock, { ms, offset }: WrittenTime): number | null {
  if (timeZone !== null) return offsetIn(timeZone, ms);
  // Without a zone, other data of the user decides: a night or a workout that names its own zone.
  return exportedMs === null || Math.abs(exportedMs - ms) <= sameOffsetMs ? offset : null;
}

const quarterMs = 15 * minuteMs;
let lastQuarter: { readonly zone: string; readonly number: number; readonly offset: number | null } | null =
  null;

// Most records follow one of the same quarter of an hour, in which no clock changes.
function offsetIn(zone: string, ms: number): number | null {
  const number = Math.floor(ms / quarterMs);
  if (lastQuarter?.number !== number || lastQuarter.zone !== zone)
    lastQuarter = { zone, number, offset: offsetMinutesIn(zone, ms) ?? offsetNamed(zone) };
  return lastQuarter.offset;
}

// A phone names a zone without a place by its offset: `GMT+0200`.
function offsetNamed(zone: string): number | null {
  const [, sign, hours, minutes] = /^GMT([+-])(\d{1,2}):?(\d\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return null;
  const size = Number(hours) * 60 + Number(minutes ?? 0);
  return size > longestOffset ? null : size * (sign === '-' ? -1 : 1);
}

/** The instant of a time of an export; null if it cannot be read. */
export const exportTime = (text: string | undefined): number | null => timeOf(text)?.ms ?? null;

interface WrittenTime {
  readonly ms: number;
  readonly offset: number;
}

const longestOffset = 18 * 60;

/** Other forms: `20260102070000+0100` of iOS 8, `2026-01-02 7:00:00 AM +0100` of some other exporters, and ISO 8601. */
const otherForm =
  /^(\d{4})-?(\d\d)-?(\d\d)[T\s]*(\d{1,2}):?(\d\d):?(\d\d)(?:\.\d+)?\s*(?:([ap])\.?m\.?)?\s*(Z|[+-]\d\d:?\d\d)$/i;

/** The time in the form of present exports. */
function presentForm(text: string): string | undefined {
  const [, year, month, day, hour = '', minute, second, half, zone = ''] = otherForm.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const isWrong = half !== undefined && (Number(hour) < 1 || Number(hour) > 12);
  const from = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = zone.toUpperCase() === 'Z' ? '+0000' : zone.replace(':', '');
  const clock = `${String(from).padStart(2, '0')}:${minute}:${second}`;
  return isWrong ? undefined : `${year}-${month}-${day} ${clock} ${offset}`;
}

/** Reads `2026-01-02 07:00:00 +0100`. A pattern and Date.parse take three times as long. */
function timeOf(written: string | undefined): WrittenTime | null {
  const isPresent = written?.length === 25 && written.charAt(19) === ' ' && written.charAt(10) === ' ';
  const text = written === undefined || isPresent ? written : presentForm(written);
  if (text === undefined) return null;
  const size = twoDigits(text, 21) * 60 + twoDigits(text, 23);
  const sign = text.charAt(20);
  if (size > longestOffset || (sign !== '+' && sign !== '-')) return null;
  const offset = sign === '-' ? -size : size;
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (!(hour < 24 && minute < 60 && second <= 60)) return null;
  const ms = dayOf(text) + (hour * 60 + minute - offset) * minuteMs + second * 1000;
  return Number.isNaN(ms) ? null : { ms, offset };
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

let lastDay = { text: '', ms: 0 };

// Most records follow one of the same day.
function dayOf(text: string): number {
  if (lastDay.text === '' || !text.startsWith(lastDay.text)) {
    const [month, date] = [twoDigits(text, 5) - 1, twoDigits(text, 8)];
    const ms = Date.UTC(twoDigits(text, 0) * 100 + twoDigits(text, 2), month, date);
    const isDate = new Date(ms).getUTCMonth() === month && new Date(ms).getUTCDate() === date;
    lastDay = { text: text.slice(0, 10), ms: isDate ? ms : Number.NaN };
  }
  return lastDay.ms;
}

const manualKeys = ['HKWasUserEntered', 'HKMetadataKeyWasUserEntered'];
const sources = new Map<string, IntervalSource>();
const mostSources = 10_000;
let last: { readonly named: SourceNames; readonly source: IntervalSource } | null = null;

/** What names the source of an element. */
interface SourceNames {
  readonly isManual: boolean;
  readonly sourceName: string;
  readonly device: string;
}

/** What measured an element. */
export function sourceOf({ attributes, metadata }: AppleElement): IntervalSource {
  const isManual = metadata !== null && manualKeys.some((key) => metadata[key] === '1');
  const { sourceName = 'unknown', device = '' } = attributes;
  // Most elements have the source of the one before.
  if (
    last?.named.device === device &&
    last.named.sourceName === sourceName &&
    last.named.isManual === isManual
  )
    return last.source;
  const named = { isManual, sourceName, device };
  const source = knownSource(named);
  last = { named, source };
  return source;
}

function knownSource({ isManual, sourceName, device }: SourceNames): IntervalSource {
  const key = `${isManual}\n${sourceName}\n${device}`;
  const known = sources.get(key);
  if (known !== undefined) return known;
  const described = ownText(device.replace(/^<<HKDevice: \w+>, /, ''));
  const source = appleSource(ownText(sourceName), described, isManual);
  if (sources.size >= mostSources) sources.clear();
  sources.set(ownText(key), source);
  return source;
}

/** Names of the devices of Apple, and of its own app. Another writer is an app that may copy what a device measured. */
const ownWriter = /watch|iphone|ipad|ipod|^(apple )?health$/i;

/**
 * What measured an entry. `device` is a description of the device with an address of the memory of the phone, which differs
 * in each export: `<<HKDevice: 0x281b>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7>`.
 */
function appleSource(name: string, device: string | undefined, isManual: boolean): IntervalSource {
  const parts = new Map(
    [...(device ?? '').matchAll(/(?:^|, )(name|hardware|model):(.*?)(?=, \w+:|>?$)/g)].map(
      ([, part = '', text = '']) => [part, text] as const,
    ),
  );
  const isOwn = ownWriter.test(name);
  const model = parts.get('hardware') ?? parts.get('model') ?? (isOwn ? name : undefined);
  const writer = isOwn ? { bundleIdentifier: 'com.apple.health' } : { appId: name };
  return sourceOfItem({
    source: {
      ...writer,
      name,
      deviceName: parts.get('name'),
      deviceModel: model,
      recordingMethod: isManual ? 'manual' : undefined,
    },
  });
}
