import { isoTime } from '../../domain/time/time.ts';
import { emptySeries, type SampleSink } from '../simulation/expected-series.ts';
import { countedEpochs, sedentarySeconds } from './expected-epochs.ts';
import { addEpochs, addItems } from './expected-samples.ts';
import { bodiesOf } from './notification-parts.ts';
import type { Daily } from './payloads/dailies.ts';
import type { Epoch } from './payloads/epochs.ts';
import { type DataType, dataTypes, type PushBody } from './payloads.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

/**
 * The data that an application should have stored of an account, computed from what it acknowledged. Items with the same key
 * are versions of one record. `sedentary_seconds` of a day are null if no slot is in the record's span.
 */
export function expectedDevicemakerData(world: DevicemakerWorld, account: DevicemakerAccount) {
  const series = emptySeries();
  const records = new Map<DataType, Map<string, PushBody>>();
  const delivered: Epoch[] = [];
  for (const [type, body] of bodiesSent(world, account)) {
    addItems(series, body);
    delivered.push(...(body.epochs ?? []));
    const known = records.get(type) ?? new Map<string, PushBody>();
    records.set(type, known);
    for (const [key, one] of keyed(type, body)) if (isNewer(one, known.get(key))) known.set(key, one);
  }
  const all = [...records.values()].flatMap((known) => [...known.values()]);
  const counted = countedEpochs(delivered);
  addEpochs(series, counted);
  const nights = all.flatMap(({ sleeps = [] }) => sleeps);
  return {
    account_id: account.account_id,
    registered: account.registered,
    permissions: account.permissions,
    items: Object.fromEntries([...records].map(([type, known]) => [type, known.size])),
    workouts: all
      .flatMap(({ activities = [] }) => activities)
      .map((item) => ({
        activity_id: item.activityId,
        type: item.activityType,
        name: item.activityName,
        start_time: isoOfSecond(item.startTimeInSeconds),
        duration_seconds: item.durationInSeconds,
      })),
    sleeps: nights.map((item) => ({
      date: item.calendarDate,
      start_time: isoOfSecond(item.startTimeInSeconds),
      asleep_seconds:
        item.deepSleepDurationInSeconds + item.lightSleepDurationInSeconds + item.remSleepInSeconds,
      validation: item.validation,
    })),
    naps: nights
      .flatMap(({ naps }) => naps)
      .map((nap) => ({
        start_time: isoOfSecond(nap.napStartTimeInSeconds),
        duration_seconds: nap.napDurationInSeconds,
      })),
    days: daysOf(
      all.flatMap(({ dailies = [] }) => dailies),
      counted,
    ),
    series: series.list(),
  };
}

function daysOf(records: readonly Daily[], counted: readonly Epoch[]) {
  const spans = records.map(({ calendarDate, startTimeInSeconds, durationInSeconds }) => ({
    date: calendarDate,
    start_second: startTimeInSeconds,
    duration_seconds: durationInSeconds,
  }));
  const sedentary = sedentarySeconds(counted, spans);
  return records.map(({ calendarDate: date, steps, durationInSeconds: duration_seconds }) => ({
    date,
    steps,
    duration_seconds,
    sedentary_seconds: sedentary.get(date) ?? null,
  }));
}

function* bodiesSent(world: DevicemakerWorld, account: DevicemakerAccount): Generator<[DataType, PushBody]> {
  const user = world.user(account.person);
  for (const type of dataTypes)
    for (const span of account.sent[type] ?? [])
      for (const body of bodiesOf(user, type, span)) yield [type, body];
}

/** Adds the samples of all acknowledged items of an account. */
export function addDeviceSamples(
  series: SampleSink,
  world: DevicemakerWorld,
  account: DevicemakerAccount,
): void {
  const delivered: Epoch[] = [];
  for (const [, body] of bodiesSent(world, account)) {
    addItems(series, body);
    delivered.push(...(body.epochs ?? []));
  }
  addEpochs(series, countedEpochs(delivered));
}

/** The items that an application should have stored of an account: the last version of each. */
export function itemsSent(world: DevicemakerWorld, account: DevicemakerAccount, type: DataType): object[] {
  const known = new Map<string, PushBody>();
  for (const [own, body] of bodiesSent(world, account))
    if (own === type)
      for (const [key, one] of keyed(type, body)) if (isNewer(one, known.get(key))) known.set(key, one);
  return [...known.values()].flatMap((body): readonly object[] => body[type] ?? []);
}

/** The items of a body, each with its key. */
function keyed(type: DataType, body: PushBody): [string, PushBody][] {
  return (body[type] ?? []).map((item) => [keyOf(type, item), single(type, item)]);
}

// The first version of a night may begin some minutes late, so the key of a night is its date.
function keyOf(type: DataType, item: object): string {
  const field = (name: string) => String(Reflect.get(item, name) ?? '');
  if (type === 'sleeps' || type === 'userMetrics') return field('calendarDate');
  if (type === 'activities' || type === 'activityDetails') return field('activityId');
  if (type === 'epochs') return `${field('startTimeInSeconds')}/${field('activityType')}`;
  if (type === 'mct') return field('summaryId');
  return field('startTimeInSeconds') || field('measurementTimeInSeconds');
}

function single(type: DataType, item: object): PushBody {
  return Object.fromEntries([[type, [item]]]);
}

// Spans are ordered, so the items of a later span are more complete.
function isNewer(one: PushBody, known: PushBody | undefined): boolean {
  if (known === undefined) return true;
  const seconds = ({ dailies = [], stressDetails = [] }: PushBody) =>
    [...dailies, ...stressDetails].reduce((sum, { durationInSeconds }) => sum + durationInSeconds, 0);
  return seconds(one) >= seconds(known);
}

function isoOfSecond(second: number): string {
  return isoTime(second * 1000);
}
