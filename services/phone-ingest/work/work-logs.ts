import { z } from 'zod';
import { jsonOrNull } from '../../../domain/json/json.ts';
import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import type { WorkEnvironment } from '../../../mixins/inbox/inbox-worker.ts';
import { Tally } from '../rules/batch.ts';
import { beginSync, endType, finishSync } from '../tables/first-syncs.ts';
import { type ConnectedUser, connectedUser } from './fence.ts';

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Start = z.object({
  eventType: z.literal('historical_data_sync_start'),
  timestamp: Time,
  dataTypeCounts: z.array(z.object({ type: z.string().max(200), count: z.number().min(0) })).max(500),
  timeRange: z.object({ startDate: Time.nullish(), endDate: Time.nullish() }).nullish(),
});
const TypeEnd = z.object({
  eventType: z.literal('historical_data_type_sync_end'),
  timestamp: Time,
  dataType: z.string().max(200),
  success: z.boolean(),
  recordCount: z.number().min(0).nullish(),
});
const Event = z.discriminatedUnion('eventType', [Start, TypeEnd]);
const mostEvents = 100;

/** Records the progress of a first upload as the app reports it. Unknown and invalid events are set aside. */
export async function workLogs(job: Job, deps: WorkEnvironment): Promise<Outcome> {
  const user = await connectedUser(job, deps);
  const events = eventsOf(jsonOrNull(job.body.toString('utf8')));
  if (user === null) return { kind: 'done', answer: new Tally().answer('', 0, 'The user is not connected.') };
  const tally = new Tally();
  for (const [index, body] of events.entries()) {
    const event = Event.safeParse(body).data;
    if (event !== undefined) await record(user, { ...event, id: `${job.id}:${index}` });
    else if (!isDeviceState(body)) tally.addProblem(notRead(index));
    tally.stored += event === undefined ? 0 : 1;
  }
  await finishSync(deps.database, user.user_id);
  return { kind: 'done', answer: tally.answer(user.user_id, events.length, 'Stored.') };
}

function eventsOf(body: unknown): readonly unknown[] {
  const read = z.object({ events: z.array(z.unknown()) }).safeParse(body).data;
  return read?.events.slice(0, mostEvents) ?? [];
}

async function record(
  { user_id, connection_id, write }: ConnectedUser,
  event: z.infer<typeof Event> & { readonly id: string },
): Promise<void> {
  if (event.eventType === 'historical_data_type_sync_end') {
    const { id, dataType, success, recordCount = null, timestamp } = event;
    const end = { id, type: typeName(dataType), sent: recordCount, failed: !success, at: timestamp };
    return write((transaction) => endType(transaction, user_id, end));
  }
  const { timestamp, timeRange, dataTypeCounts } = event;
  const sync = {
    user_id,
    connection_id,
    at: timestamp,
    types: expectedTypes(dataTypeCounts),
    start: timeRange?.startDate ?? new Date(0),
    end: timeRange?.endDate ?? timestamp,
  };
  await write((transaction) => beginSync(transaction, sync));
}

/** The app reports the end of each tracked type that has items. Several may have one name. */
function expectedTypes(counts: z.infer<typeof Start>['dataTypeCounts']) {
  const counted = counts.map(({ type, count }) => ({ type: typeName(type), items: Math.round(count) }));
  const byName = Map.groupBy(
    counted.filter(({ items }) => items > 0),
    ({ type }) => type,
  );
  return [...byName].map(([type, shares]) => ({
    type,
    expected: shares.reduce((sum, { items }) => sum + items, 0),
    shares: shares.length,
  }));
}

/** The two events name types in different ways: by their identifier, or without its prefix. */
function typeName(name: string): string {
  const short = name
    .replaceAll('\0', '')
    .replace(/^HK(Quantity|Category|Data|Correlation)TypeIdentifier/, '');
  if (/^(SleepAnalysis|sleep)$/i.test(short)) return 'sleep';
  return /^(HKWorkoutTypeIdentifier|workouts?|exercise)$/i.test(short) ? 'workouts' : short;
}

function isDeviceState(event: unknown): boolean {
  return z.object({ eventType: z.literal('device_state') }).safeParse(event).success;
}

function notRead(index: number) {
  return {
    list: 'set_aside' as const,
    id: `events[${index}]`,
    in: 'records' as const,
    problem: { field: '', reason: 'is not a known event' },
  };
}
