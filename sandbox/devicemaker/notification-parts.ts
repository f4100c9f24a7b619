import type { Span } from '../day-simulation/plan.ts';
import { datesIn, simulatedDay } from '../simulation/days.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { shared } from '../simulation/spans.ts';
import { addDays, instantOf } from '../simulation/zone.ts';
import { bodyOf, type DataType, dataTypes, type PushBody } from './payloads.ts';
import type { NotificationPart } from './state.ts';

/** The permission of each data type. All others need HEALTH_EXPORT. */
const permissionOf: Partial<Record<DataType, Permission>> = {
  activities: 'ACTIVITY_EXPORT',
  activityDetails: 'ACTIVITY_EXPORT',
  moveiq: 'ACTIVITY_EXPORT',
  mct: 'MCT_EXPORT',
};

/** The permissions that a user can grant, in the order of the form. */
export const permissions = [
  'ACTIVITY_EXPORT',
  'HEALTH_EXPORT',
  'HISTORICAL_DATA_EXPORT',
  'MCT_EXPORT',
] as const;

type Permission = (typeof permissions)[number];

/** Whether the granted permissions include a data type. */
export function isAllowed(granted: readonly string[], type: DataType): boolean {
  return granted.includes(permissionOf[type] ?? 'HEALTH_EXPORT');
}

/** Data types that a user's device does not have and never sends. */
export function missingTypes({ traits }: SimulatedUser): readonly DataType[] {
  const nights: readonly DataType[] = ['sleeps', 'hrv', 'pulseOx', 'skinTemp'];
  return [
    ...(traits.wears === null ? [] : nights),
    ...(traits.cycle_days === null ? (['mct'] as const) : []),
  ];
}

/** Measured bytes per day. Other types have less than 1,200. */
const bytesPerDay: Partial<Record<DataType, number>> = {
  activityDetails: 340_000,
  dailies: 56_000,
  epochs: 53_000,
  sleeps: 10_300,
  stressDetails: 10_000,
  respiration: 6200,
  pulseOx: 4200,
};
const bytesPerNotification = 1_000_000;

/** Splits a type's data of a span at midnights into parts that fit into one notification. */
export function partsOf(user: SimulatedUser, type: DataType, span: Span): NotificationPart[] {
  const datesPerPart = Math.max(1, Math.floor(bytesPerNotification / weightOf(type)));
  const dates = datesIn(user, span);
  const portions: NotificationPart[] = [];
  for (let from = 0; from < dates.length; from += datesPerPart) {
    const first = dates[from] ?? '';
    const days = daySpan(user, first, addDays(first, Math.min(datesPerPart, dates.length - from)));
    const own = shared(days, span);
    if (own !== null) portions.push({ account_id: user.account_id, type, ...own });
  }
  return portions;
}

/** Combines parts into notifications, in their order. */
export function notificationsOf(portions: readonly NotificationPart[]): NotificationPart[][] {
  const letters: NotificationPart[][] = [];
  let bytes = bytesPerNotification;
  for (const portion of portions) {
    const own = (weightOf(portion.type) * (portion.endMs - portion.startMs)) / 86_400_000;
    if (bytes + own > bytesPerNotification) {
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

function daySpan({ traits: { zone } }: SimulatedUser, from: string, to: string): Span {
  return { startMs: instantOf(zone, from, 0), endMs: instantOf(zone, to, 0) };
}

/** The items of one type that changed in a span, as they are at its end. */
export function bodiesOf(user: SimulatedUser, type: DataType, span: Span): PushBody[] {
  return datesIn(user, span).flatMap((date) => {
    const day = simulatedDay(user, date);
    const own = shared(day, span);
    return own === null ? [] : [bodyOf(day, [type], own)];
  });
}

/** As `bodiesOf`, as a plain list. */
export function itemsOf(user: SimulatedUser, type: DataType, span: Span): object[] {
  return bodiesOf(user, type, span).flatMap((body): readonly object[] => body[type] ?? []);
}

/** Names that some senders use for a type. */
const otherNames: Partial<Record<DataType, string>> = {
  respiration: 'allDayRespiration',
  pulseOx: 'pulseox',
  moveiq: 'moveIQActivities',
  activities: 'manuallyUpdatedActivities',
};

/** The name under which a type is sent. */
export function sentName(type: DataType, names: 'documented' | 'other'): string {
  return names === 'other' ? (otherNames[type] ?? type) : type;
}

/** The type with a documented or other name; null if there is none. */
export function typeNamed(name: string): DataType | null {
  return dataTypes.find((type) => type === name || otherNames[type] === name) ?? null;
}
