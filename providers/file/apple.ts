import { ownText } from '../../domain/own-text.ts';
import type { IntervalSource } from '../../domain/records/interval-records.ts';
import { minuteMs } from '../../domain/time/time.ts';
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
export function readAppleRecord(element: AppleElement, nowMs: number): Entry | null {
  const type = element.attributes.type ?? '';
  if (element.name === 'Correlation' && eventTypeOf(type) === undefined) return null;
  const span = spanOf(element.attributes, nowMs);
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
  const stage = value.startsWith(stagePrefix) ? stages[value.slice(stagePrefix.length)] : undefined;
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
    ...itemTimes(attributes),
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
export function itemTimes({ startDate = '', endDate = '' }: AppleElement['attributes']) {
  const iso = (text: string) => `${text.slice(0, 10)}T${text.slice(11, 19)}${zoneOf(text)}`;
  return { startDate: iso(startDate), endDate: iso(endDate), zoneOffset: zoneOf(startDate) };
}

const zoneOf = (text: string) => `${text.slice(20, 23)}:${text.slice(23, 25)}`;

/** The span of an element; a sentence if it has none. The offset is the one of the start. */
export function spanOf({ startDate, endDate }: AppleElement['attributes'], nowMs: number): ItemSpan | string {
  const start = timeOf(startDate);
  const end = endDate === startDate ? start : timeOf(endDate);
  if (start === null || end === null) return 'The time cannot be read.';
  const span = { start_ms: start.ms, end_ms: end.ms };
  return spanProblem(span, nowMs) ?? { id: '', ...span, zone_offset_minutes: start.offset };
}

const longestOffset = 18 * 60;

/** Reads `2026-01-02 07:00:00 +0100`. A pattern and Date.parse take three times as long. */
function timeOf(text: string | undefined): { readonly ms: number; readonly offset: number } | null {
  if (text === undefined || text.length !== 25) return null;
  const two = (at: number) => {
    const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
  };
  const size = two(21) * 60 + two(23);
  const sign = text.charAt(20);
  if (size > longestOffset || (sign !== '+' && sign !== '-')) return null;
  const offset = sign === '-' ? -size : size;
  const day = dayOf(text, two);
  if (!(two(11) < 24 && two(14) < 60 && two(17) <= 60)) return null;
  const ms = day + (two(11) * 60 + two(14) - offset) * minuteMs + two(17) * 1000;
  return Number.isNaN(ms) ? null : { ms, offset };
}

let lastDay = { text: '', ms: 0 };

// Most records follow one of the same day.
function dayOf(text: string, two: (at: number) => number): number {
  const day = text.slice(0, 10);
  if (day !== lastDay.text) {
    const ms = Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8));
    const isDate = new Date(ms).getUTCMonth() === two(5) - 1 && new Date(ms).getUTCDate() === two(8);
    lastDay = { text: day, ms: isDate ? ms : Number.NaN };
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
