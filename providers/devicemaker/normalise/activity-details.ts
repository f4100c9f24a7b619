import { bareItem, type SampleBlock } from '../../../domain/records/records.ts';
import { activities } from '../fields/activities.ts';
import { extrasOf, readActivity, workoutOf } from './activity.ts';
import { readTrack } from './activity-track.ts';
import { isObject, type Normaliser, type Problem, refused } from './item.ts';
import { lapsOf, routeOf } from './route.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An activity second by second: its samples, and its fields, which the store merges into the workout of the same
 * activity. The fields are in `summary`, or beside the samples with some senders.
 */
export const normaliseActivityDetails: Normaliser = (item, nowMs) => {
  if (!isObject(item)) return refused('', 'must be an object');
  const { summary, ...top } = item;
  const inner = isObject(summary) ? summary : {};
  const track = readTrack(item.samples, nowMs);
  const given = { ...sent(top), ...sent(inner), ...sent({ samples: item.samples }) };
  const read = readFields(given, spanOf(track.blocks), nowMs);
  const placed = (problems: readonly Problem[]) => problems.map((problem) => inSummary(problem, inner));
  if (!read.ok) return { ok: false, problems: placed(read.problems) };
  const { draft, origin, hash } = read;
  if (draft.key === undefined) return refused('activityId', 'is required');
  const { device, zoneOffsetMinutes: zone_offset_minutes } = origin;
  const route = routeOf(item.samples, nowMs);
  const workout = workoutOf(read);
  const laps = lapsOf(item.laps, route, workout.end_ms, nowMs);
  const record = {
    ...bareItem,
    data_type: 'activityDetails',
    // The summary id of the details is that of the activity with a suffix.
    key: draft.key.replace(/-detail$/, ''),
    hash,
    supersede: 'latest' as const,
    duration_seconds: workout.duration_seconds,
    workout,
    extras: extrasOf({ ...read, item: given }, activities.fields, laps),
    samples: track.blocks.map((block) => ({ ...block, device, zone_offset_minutes })),
  };
  return { ok: true, item: record, track: route, problems: [...placed(read.problems), ...track.problems] };
};

// If `startTimeInSeconds` or `durationInSeconds` is absent or unreadable, it is derived from the samples.
function readFields(given: Fields, span: Fields, nowMs: number): ReturnType<typeof readActivity> {
  const read = readActivity(activities.fields, { ...span, ...given }, nowMs);
  const replaced = read.problems.filter(({ field }) => Object.hasOwn(span, field));
  if (read.ok || replaced.length === 0) return read;
  const fromSpan = Object.fromEntries(replaced.map(({ field }) => [field, span[field]]));
  const second = readActivity(activities.fields, { ...span, ...given, ...fromSpan }, nowMs);
  return { ...second, problems: [...replaced, ...second.problems] };
}

// A null field counts as absent, so that the same field beside the samples is used.
function sent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));
}

function spanOf(blocks: readonly SampleBlock[]): Record<string, number> {
  const times = blocks.flatMap(({ base_ms, at }) => [base_ms + (at[0] ?? 0), base_ms + (at.at(-1) ?? 0)]);
  if (times.length === 0) return {};
  const startMs = Math.min(...times);
  return { startTimeInSeconds: startMs / 1000, durationInSeconds: (Math.max(...times) - startMs) / 1000 };
}

function inSummary({ field, ...rest }: Problem, inner: Fields): Problem {
  return { field: Object.hasOwn(inner, field) ? `summary.${field}` : field, ...rest };
}
