import { type Days, datesIn } from '../days.ts';
import type { Span } from '../life/plan.ts';
import type { Person } from '../people.ts';
import { shared } from '../spans.ts';
import { addDays, instantOf } from '../zone.ts';
import { bodyOf, type DataType, dataTypes, type PushBody } from './payloads.ts';
import type { Portion } from './state.ts';

/** What needs no permission of its own is health data. */
const permissionOf: Partial<Record<DataType, Permission>> = {
  activities: 'ACTIVITY_EXPORT',
  activityDetails: 'ACTIVITY_EXPORT',
  moveiq: 'ACTIVITY_EXPORT',
  mct: 'MCT_EXPORT',
};

/** What the owner of an account can allow, in the order of the form. */
export const permissions = [
  'ACTIVITY_EXPORT',
  'HEALTH_EXPORT',
  'HISTORICAL_DATA_EXPORT',
  'MCT_EXPORT',
] as const;

export type Permission = (typeof permissions)[number];

/** Whether an account lets data of a type out. */
export function isAllowed(granted: readonly string[], type: DataType): boolean {
  return granted.includes(permissionOf[type] ?? 'HEALTH_EXPORT');
}

/** Data types that a person's device does not have: nothing of them ever comes. */
export function missingTypes({ traits }: Person): readonly DataType[] {
  const nights: readonly DataType[] = ['sleeps', 'hrv', 'pulseOx', 'skinTemp'];
  return [
    ...(traits.wears === null ? [] : nights),
    ...(traits.cycle_days === null ? (['mct'] as const) : []),
  ];
}

/** Bytes of a day, measured; the other types are below 1,200. */
const bytesPerDay: Partial<Record<DataType, number>> = {
  activityDetails: 340_000,
  dailies: 56_000,
  epochs: 53_000,
  sleeps: 10_300,
  stressDetails: 10_000,
  respiration: 6200,
  pulseOx: 4200,
};
const bytesPerLetter = 1_000_000;

/** A type's data of a span, cut at midnights into parts that fit into one notification. */
export function portionsOf(person: Person, type: DataType, span: Span): Portion[] {
  const perPortion = Math.max(1, Math.floor(bytesPerLetter / weightOf(type)));
  const dates = datesIn(person, span);
  const portions: Portion[] = [];
  for (let from = 0; from < dates.length; from += perPortion) {
    const first = dates[from] ?? '';
    const days = daySpan(person, first, addDays(first, Math.min(perPortion, dates.length - from)));
    const own = shared(days, span);
    if (own !== null) portions.push({ account_id: person.account_id, type, ...own });
  }
  return portions;
}

/** Portions put together into notifications, in their order. */
export function lettersOf(portions: readonly Portion[]): Portion[][] {
  const letters: Portion[][] = [];
  let bytes = bytesPerLetter;
  for (const portion of portions) {
    const own = (weightOf(portion.type) * (portion.endMs - portion.startMs)) / 86_400_000;
    if (bytes + own > bytesPerLetter) {
      letters.push([]);
      bytes = 0;
    }
    letters.at(-1)?.push(portion);
    bytes += own;
  }
  return letters;
}

function weightOf(type: DataType): number {
  return bytesPerDay[type] ?? 1200;
}

function daySpan({ traits: { zone } }: Person, from: string, to: string): Span {
  return { startMs: instantOf(zone, from, 0), endMs: instantOf(zone, to, 0) };
}

/** The items of one type whose news fell into a span: each day as it stood at the span's end. */
export function bodiesOf(days: Days, person: Person, type: DataType, span: Span): PushBody[] {
  return datesIn(person, span).flatMap((date) => {
    const day = days.of(person, date);
    const own = shared(day, span);
    return own === null ? [] : [bodyOf(day, [type], own)];
  });
}

/** As `bodiesOf`, as a plain list. */
export function itemsOf(days: Days, person: Person, type: DataType, span: Span): object[] {
  return bodiesOf(days, person, type, span).flatMap((body): readonly object[] => body[type] ?? []);
}

/** How some senders call a type. */
const otherNames: Partial<Record<DataType, string>> = {
  respiration: 'allDayRespiration',
  pulseOx: 'pulseox',
  moveiq: 'moveIQActivities',
  activities: 'manuallyUpdatedActivities',
};

/** The name that a type is sent under. */
export function sentName(type: DataType, names: 'documented' | 'other'): string {
  return names === 'other' ? (otherNames[type] ?? type) : type;
}

/** The type of either name; null where there is none. */
export function typeNamed(name: string): DataType | null {
  return dataTypes.find((type) => type === name || otherNames[type] === name) ?? null;
}
