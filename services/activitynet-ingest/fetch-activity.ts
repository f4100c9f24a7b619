import { isError } from '../../domain/errors.ts';
import { unlistedFields } from '../../domain/provider/unlisted-fields.ts';
import { partsOf } from '../../domain/records/item-parts.ts';
import { StoreItem, type StoreOutcome, type WorkoutRecord } from '../../domain/records/records.ts';
import { cutChunks } from '../../domain/workouts/cut-chunks.ts';
import { routeRulesFor } from '../../mixins/cut-tracks.ts';
import type { Work } from '../../mixins/provider-api/provider-quota.ts';
import { fields } from '../../providers/activitynet/fields.ts';
import {
  type NormalisedActivity,
  normaliseActivity,
} from '../../providers/activitynet/normalise/activity.ts';
import { streamSamples, streamTrack, trackKeys } from '../../providers/activitynet/normalise/streams.ts';
import { normaliserVersionOf } from '../../providers/all.ts';
import { codeOf } from '../../runtime/failure.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { countUnlisted } from '../../runtime/telemetry/unlisted-fields.ts';
import { confirmDeletion, confirmUnlisted, isUnlisted } from './confirm-deletion.ts';
import { type Fetched, type Fetching, type HeldActivity, unfetched } from './fetched.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import { priorities } from './queries/note-event.ts';
import { type ReadReservation, reserveReads } from './reads.ts';
import { readsAll } from './reads-all.ts';

/** Fetches an activity's details, then its streams, and stores both. The reads for both are reserved together. */
export async function fetchActivity(fetching: Fetching, held: HeldActivity): Promise<Fetched> {
  const { job, signal } = held;
  const reader = { user_id: job.user_id, work: kindOf(job), signal };
  const reservation = await reserveReads(fetching, reader, 2);
  if (reservation === null) return { kind: 'wait' };
  try {
    return await fetchWith(fetching, held, reservation);
  } finally {
    await reservation.close();
  }
}

function kindOf(job: ActivityLease): Work {
  if (job.priority >= priorities.repair) return 'repair';
  return job.priority >= priorities.backfill ? 'backfill' : 'live';
}

async function fetchWith(
  fetching: Fetching,
  held: HeldActivity,
  reservation: ReadReservation,
): Promise<Fetched> {
  const { job } = held;
  const nowMs = Date.now() + fetching.pace.aheadMs();
  const before = isUnlisted(job) ? await readsAll(fetching, job.user_id) : null;
  const details = await reservation.read(pathOf(job));
  // A recording does not remain stored after a deletion, even if an event with a later time superseded the deletion.
  const isDeletable = job.delete_time !== null && job.streams_for === null;
  if (details.kind !== 'found' && isUnlisted(job)) return confirmUnlisted(fetching, held, details, before);
  if (details.kind !== 'found')
    return isDeletable ? confirmDeletion(fetching, held, details) : unfetched(details);
  const names = unlistedFields(details.body, fields.activity);
  countUnlisted(metricsOf(fetching.broker), 'activitynet', 'activity', names);
  const activity = normaliseActivity(details.body, nowMs);
  if (activity === null) return { kind: 'nothing', reason: 'UNREADABLE', isGone: false };
  return storeFetched(fetching, held, reservation, {
    activity,
    connectedMs: details.connectedMs,
    nowMs,
  });
}

const pathOf = ({ object_id }: ActivityLease) => `/activities/${object_id}`;

interface Found {
  readonly activity: NormalisedActivity;
  readonly connectedMs: number;
  readonly nowMs: number;
}

async function storeFetched(
  fetching: Fetching,
  held: HeldActivity,
  reservation: ReadReservation,
  { activity, connectedMs, nowMs }: Found,
): Promise<Fetched> {
  const { job } = held;
  const samples_kept = hasStreams(job, activity, connectedMs);
  const needsStreams = activity.workout.manual !== true && !samples_kept; // manually entered activities have no streams
  const item = { ...itemOf(job, activity), more: needsStreams, samples_kept };
  const first = await store(fetching, held, [item]);
  if (first.kind !== 'stored') return first;
  const done: Fetched = { kind: 'done', streams: activity.recording };
  if (!needsStreams || first.isKnown) return done;
  const streams = await reservation.read(`${pathOf(job)}/streams`, {
    keys: trackKeys.join(','),
    key_by_type: 'true',
  });
  // The provider answers 404 for an activity without streams.
  const hasNone = streams.kind === 'missing' || streams.kind === 'refused';
  if (streams.kind !== 'found' && !hasNone) return unfetched(streams);
  const body = streams.kind === 'found' ? streams.body : null;
  const track = streamTrack(body, activity.workout.start_ms);
  const cut = cutChunks(track, await routeRulesFor(fetching.call, job.user_id, [track]));
  const rest = await store(fetching, held, laterParts({ ...item, ...cut }, body, activity.workout, nowMs));
  return rest.kind === 'stored' ? done : rest;
}

// Streams of the same recording are already stored, unless they were stored for an earlier connection: its end may have
// removed them.
function hasStreams(
  { streams_for, fetched_at }: ActivityLease,
  { recording }: NormalisedActivity,
  connectedMs: number,
): boolean {
  return streams_for === recording && fetched_at !== null && fetched_at.getTime() >= connectedMs;
}

/** An activity as a store item, without its samples. */
export function itemOf(
  { object_id }: Pick<ActivityLease, 'object_id'>,
  { workout, extras, hash }: NormalisedActivity,
): StoreItem {
  return StoreItem.parse({
    data_type: 'activities',
    key: object_id,
    hash,
    supersede: 'latest',
    duration_seconds: workout.duration_seconds,
    workout,
    extras,
  });
}

// The first part carried the record. Later parts carry samples. Only the last part marks the item as stored.
function laterParts(item: StoreItem, streams: unknown, workout: WorkoutRecord, nowMs: number): StoreItem[] {
  const samples = streamSamples(streams, workout, nowMs);
  return partsOf({ ...item, samples }).map((one) => ({
    ...one,
    workout: null,
    extras: null,
    part: one.part + 1,
  }));
}

type Stored = { readonly kind: 'stored'; readonly isKnown: boolean } | Exclude<Fetched, { kind: 'done' }>;

const provider = 'activitynet';
const stamp = { provider, normaliser_version: normaliserVersionOf(provider) } as const;

// One call per part: all parts together may exceed the message size limit of the bus.
async function store({ call }: Fetching, held: HeldActivity, items: readonly StoreItem[]): Promise<Stored> {
  const { user_id } = held.job;
  const statuses: (StoreOutcome['status'] | undefined)[] = [];
  for (const item of items) {
    if (!(await held.holds())) return { kind: 'wait' };
    try {
      const [outcome] = await call('timeseries.store', { ...stamp, user_id, items: [item] });
      statuses.push(outcome?.status);
    } catch (error) {
      return unstored(error);
    }
  }
  if (statuses.includes('stale')) return { kind: 'failed', reason: 'OVERTAKEN' };
  return { kind: 'stored', isKnown: statuses.every((status) => status === 'duplicate') };
}

function unstored(error: unknown): Exclude<Stored, { kind: 'stored' }> {
  if (isError(error, 'USER_ERASED')) return { kind: 'nothing', reason: 'USER_GONE', isGone: true };
  if (isError(error, 'VALIDATION_FAILED')) return { kind: 'nothing', reason: 'UNREADABLE', isGone: false };
  return { kind: 'failed', reason: codeOf(error) };
}
