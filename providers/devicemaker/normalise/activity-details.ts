import { bareItem, type SampleBlock } from '../../../domain/records/records.ts';
import { Activity, givenExtras, workoutOf } from './activity.ts';
import { extrasOf } from './activity-extras.ts';
import { readTrack } from './activity-track.ts';
import { isObject, type Normaliser, type Problem, refused } from './item.ts';
import { lapsOf, routeOf } from './route.ts';
import { readTimed, type Timed } from './timed-item.ts';

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
  const { fields, origin, hash } = read;
  const key = fields.activityId ?? plainId(fields.summaryId);
  if (key === null) return refused('activityId', 'is required');
  const { device, zoneOffsetMinutes: zone_offset_minutes } = origin;
  const route = routeOf(item.samples, nowMs);
  const endMs = origin.startMs + fields.durationInSeconds * 1000;
  const laps = lapsOf(item.laps, route, endMs, nowMs);
  const record = {
    ...bareItem,
    data_type: 'activityDetails',
    key,
    hash,
    supersede: 'latest' as const,
    duration_seconds: fields.durationInSeconds,
    workout: workoutOf(fields, origin),
    extras: givenExtras({ ...extrasOf(given), laps }),
    samples: track.blocks.map((block) => ({ ...block, device, zone_offset_minutes })),
  };
  return { ok: true, item: record, track: route, problems: [...placed(read.problems), ...track.problems] };
};

// If `startTimeInSeconds` or `durationInSeconds` is absent or unreadable, it is derived from the samples.
function readFields(given: Fields, span: Fields, nowMs: number): Timed<Activity> {
  const read = readTimed(Activity, ['durationInSeconds'], { ...span, ...given }, nowMs);
  const replaced = read.problems.filter(({ field }) => Object.hasOwn(span, field));
  if (read.ok || replaced.length === 0) return read;
  const fromSpan = Object.fromEntries(replaced.map(({ field }) => [field, span[field]]));
  const second = readTimed(Activity, ['durationInSeconds'], { ...span, ...given, ...fromSpan }, nowMs);
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

// The summary id of the details is that of the activity with a suffix.
function plainId(summaryId: string | null): string | null {
  return summaryId?.replace(/-detail$/, '') ?? null;
}

function inSummary({ field, ...rest }: Problem, inner: Fields): Problem {
  return { field: Object.hasOwn(inner, field) ? `summary.${field}` : field, ...rest };
}
