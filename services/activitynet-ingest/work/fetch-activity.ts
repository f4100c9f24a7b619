import { isDeepStrictEqual } from 'node:util';
import { isError } from '../../../domain/errors.ts';
import { unlistedFields } from '../../../domain/provider/unlisted-fields.ts';
import { partsOf } from '../../../domain/records/item-parts.ts';
import { StoreItem, type StoreOutcome, type WorkoutRecord } from '../../../domain/records/records.ts';
import { cutChunks } from '../../../domain/workouts/cut-chunks.ts';
import { routeRulesFor } from '../../../mixins/cut-tracks.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { fields } from '../../../providers/activitynet/fields.ts';
import {
  type NormalisedActivity,
  normaliseActivity,
} from '../../../providers/activitynet/normalise/activity.ts';
import { streamSamples, streamTrack, trackKeys } from '../../../providers/activitynet/normalise/streams.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { countUnlisted } from '../../../runtime/telemetry/unlisted-fields.ts';
import { type ActivityLease, forgetStoredStreams, priorities } from '../tables/activities.ts';
import type { Work } from '../tables/budget.ts';
import { type Read, type Reading, type ReadingAll, readsAll, type Unfound, withReads } from './reads.ts';

/** Dependencies of the work on activities and their lists. */
export interface Fetching extends Reading, Pick<Environment, 'call' | 'broker' | 'logger'> {
  readonly database: Database;
}

/** A claimed activity. */
export interface HeldActivity extends Held {
  readonly job: ActivityLease;
}

/**
 * The outcome of a job. `done`: stored, with the recording whose samples are stored now. `nothing`: there is nothing to
 * store, for a reason that is recorded (`isGone`: the connection has ended). `deleted`: it is deleted.
 * `wait` and `failed`: as in ReadResult.
 */
export type Fetched =
  | { readonly kind: 'done'; readonly streams: string | null }
  | { readonly kind: 'nothing'; readonly reason: string; readonly isGone: boolean }
  | { readonly kind: 'deleted'; readonly isGone: boolean }
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The outcome of a job whose read found nothing. */
function unfetched(result: Unfound): Fetched {
  const { kind } = result;
  if (kind === 'wait') return { kind };
  if (kind === 'missing') return { kind: 'nothing', reason: 'NOT_FOUND', isGone: false };
  if (kind === 'failed') return { kind, reason: result.reason };
  return { kind: 'nothing', reason: result.reason, isGone: kind === 'gone' };
}

/** Fetches an activity's details, then its streams, and stores both. The reads for both are reserved together. */
export async function fetchActivity(fetching: Fetching, lease: HeldActivity): Promise<Fetched> {
  const { job, signal } = lease;
  const reader = { user_id: job.user_id, work: kindOf(job), signal };
  const fetched = await withReads(fetching, reader, 2, (read) => fetchWith(fetching, lease, read));
  return fetched ?? { kind: 'wait' };
}

function kindOf(job: ActivityLease): Work {
  if (job.priority >= priorities.repair) return 'repair';
  return job.priority >= priorities.backfill ? 'backfill' : 'live';
}

async function fetchWith(fetching: Fetching, lease: HeldActivity, read: Read): Promise<Fetched> {
  const { job } = lease;
  const nowMs = Date.now() + fetching.pace.aheadMs();
  const before = isUnlisted(job) ? await readsAll(fetching, job.user_id) : null;
  const details = await read(pathOf(job));
  // A recording does not remain stored after a deletion, even if an event with a later time superseded the deletion.
  const isDeletable = job.delete_time !== null && job.streams_for === null;
  if (details.kind !== 'found' && isUnlisted(job)) return confirmUnlisted(fetching, lease, details, before);
  if (details.kind !== 'found')
    return isDeletable ? confirmDeletion(fetching, lease, details) : unfetched(details);
  const names = unlistedFields(details.body, fields.activity);
  countUnlisted(metricsOf(fetching.broker), 'activitynet', 'activity', names);
  const activity = normaliseActivity(details.body, nowMs);
  if (activity === null) return { kind: 'nothing', reason: 'UNREADABLE', isGone: false };
  return storeFetched(fetching, lease, read, {
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
  lease: HeldActivity,
  read: Read,
  { activity, connectedMs, nowMs }: Found,
): Promise<Fetched> {
  const { job } = lease;
  const samples_kept = hasStreams(job, activity, connectedMs);
  const needsStreams = activity.workout.manual !== true && !samples_kept; // manually entered activities have no streams
  const item = { ...itemOf(job, activity), more: needsStreams, samples_kept };
  const first = await store(fetching, lease, [item]);
  if (first.kind !== 'stored') return first;
  const done: Fetched = { kind: 'done', streams: activity.recording };
  if (!needsStreams || first.isKnown) return done;
  const streams = await read(`${pathOf(job)}/streams`, {
    keys: trackKeys.join(','),
    key_by_type: 'true',
  });
  // The provider answers 404 for an activity without streams.
  const hasNone = streams.kind === 'missing' || streams.kind === 'refused';
  if (streams.kind !== 'found' && !hasNone) return unfetched(streams);
  const body = streams.kind === 'found' ? streams.body : null;
  const track = streamTrack(body, activity.workout.start_ms);
  const cut = cutChunks(track, await routeRulesFor(fetching.call, job.user_id, [track]));
  const rest = await store(fetching, lease, laterParts({ ...item, ...cut }, body, activity.workout, nowMs));
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
  return partsOf({ ...item, samples }).map((part) => ({
    ...part,
    workout: null,
    extras: null,
    part: part.part + 1,
  }));
}

type Stored = { readonly kind: 'stored'; readonly isKnown: boolean } | Exclude<Fetched, { kind: 'done' }>;

const provider = 'activitynet';
const stamp = { provider, normaliser_version: normaliserVersionOf(provider) } as const;

// One call per part: all parts together may exceed the message size limit of the bus.
async function store({ call }: Fetching, lease: HeldActivity, items: readonly StoreItem[]): Promise<Stored> {
  const { user_id } = lease.job;
  const statuses: (StoreOutcome['status'] | undefined)[] = [];
  for (const item of items) {
    if (!(await lease.holds())) return { kind: 'wait' };
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

/**
 * The outcome for an activity that a read did not find after a later event had superseded its deletion: 404, 403 and 401
 * confirm the deletion.
 */
async function confirmDeletion(
  fetching: Fetching,
  { job, holds }: HeldActivity,
  result: Unfound,
): Promise<Fetched> {
  if (!(await holds())) return { kind: 'wait' };
  if (isConfirmed(result)) {
    await fetching.call('timeseries.deleteWorkout', workoutOf(job));
    return { kind: 'deleted', isGone: result.kind === 'gone' };
  }
  if (result.kind === 'refused') return { kind: 'failed', reason: result.reason };
  return unfetched(result);
}

/** Whether a job checks an activity that the provider did not list. A later event makes it an ordinary fetch. */
export function isUnlisted({ version, unlisted_version }: ActivityLease): boolean {
  return version === unlisted_version;
}

/**
 * The outcome for an activity that the provider did not list and that a read did not find: only 404 confirms the deletion,
 * and only if the connection that fetched the activity could read private ones before and after the read. The provider
 * answers 404 for private ones too. `before` is the answer of readsAll before the read.
 */
async function confirmUnlisted(
  fetching: Fetching,
  { job, holds }: HeldActivity,
  result: Unfound,
  before: ReadingAll | null,
): Promise<Fetched> {
  if (result.kind !== 'missing') return unfetched(result);
  const after = await readsAll(fetching, job.user_id);
  const fetchedMs = job.fetched_at?.getTime() ?? 0;
  if (after === null || !isDeepStrictEqual(before, after) || after.connectedMs > fetchedMs)
    return unfetched(result);
  // If the process ends before it records the deletion, the next read may find the activity: it stores the streams again.
  if (!(await holds()) || !(await forgetStoredStreams(fetching.database, job))) return { kind: 'wait' };
  await fetching.call('timeseries.deleteWorkout', workoutOf(job));
  return { kind: 'deleted', isGone: false };
}

function isConfirmed(result: Unfound): boolean {
  if (result.kind === 'missing') return true;
  if (result.kind === 'refused') return result.reason === 'NOT_ALLOWED';
  return result.kind === 'gone' && result.reason === 'TOKEN_REFUSED';
}

/** The key of an activity in the store. */
export function workoutOf({ user_id, object_id }: ActivityLease) {
  return { user_id, provider: 'activitynet' as const, key: object_id };
}
