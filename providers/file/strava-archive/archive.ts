import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import type { ArchiveContext, ArchiveKind, MemberTable } from '../archives.ts';
import type { Row } from '../csv.ts';
import { type Entry, skipped } from '../entry.ts';
import { type Recording, readRecording } from '../recording.ts';
import { readStravaActivity, type StravaActivity } from './activity.ts';

const recorded = /^activities\/[^/]+\.(fit|tcx|gpx)(\.gz)?$/i;

/**
 * The bulk export of Strava: a table with a row for each activity, and the files of the activities as they were uploaded. A row and its
 * file are one workout: the row has the name, the sport and the totals as the user edited them, the file has the track and the laps. The
 * key is the id of the activity, which a connection has too.
 */
export const stravaArchive: ArchiveKind = {
  kind: 'strava_archive',
  recognise(names) {
    const folders = names.flatMap((name) => /^([^/]*\/)?activities\.csv$/.exec(name)?.slice(1) ?? []);
    const isExport = (folder: string) =>
      names.some((name) => name.startsWith(folder) && recorded.test(name.slice(folder.length))) ||
      names.includes(`${folder}profile.csv`);
    return folders.map((folder) => folder ?? '').find(isExport) ?? null;
  },
  begin: (context) => tablesOf(context, new Activities()),
};

/** The activities of the table, until they are read. */
class Activities {
  readonly #byFile = new Map<string, StravaActivity[]>();
  readonly #all: StravaActivity[] = [];
  readonly #used = new Set<StravaActivity>();

  add(activity: StravaActivity): void {
    this.#all.push(activity);
    if (activity.file === null) return;
    const key = fileKey(activity.file);
    this.#byFile.set(key, [...(this.#byFile.get(key) ?? []), activity]);
  }

  /** The activity that a recording of a file is: the one that begins within it, else the only one if it is as long. */
  take(file: string, { start_ms, end_ms }: Recording): StravaActivity | null {
    const activities = this.#byFile.get(fileKey(file)) ?? [];
    const isWithin = (one: StravaActivity) =>
      !this.#used.has(one) && one.start_ms >= start_ms - clockToleranceMs && one.start_ms <= end_ms;
    const activity = activities.find(isWithin) ?? this.#ofOtherClock(activities, end_ms - start_ms);
    if (activity === undefined) return null;
    this.#used.add(activity);
    return activity;
  }

  // The user has set the start right, or the file states the time of another clock.
  #ofOtherClock([only, ...others]: readonly StravaActivity[], lengthMs: number): StravaActivity | undefined {
    if (only === undefined || others.length > 0 || this.#used.has(only)) return undefined;
    const difference = Math.abs(only.end_ms - only.start_ms - lengthMs);
    return difference <= Math.max(clockToleranceMs, lengthMs / 20) ? only : undefined;
  }

  /** Those of a file that none of its recordings is. */
  restOf(file: string): StravaActivity[] {
    return (this.#byFile.get(fileKey(file)) ?? []).filter((activity) => !this.#used.has(activity));
  }

  /** Those without a file in the archive. */
  without(files: ReadonlySet<string>): StravaActivity[] {
    const keys = new Set([...files].map(fileKey));
    return this.#all.filter(({ file }) => file === null || !keys.has(fileKey(file)));
  }
}

/** Rows have whole seconds, and their start may be that of the first point. */
const clockToleranceMs = 120_000;

/** Names in the table and in the archive may differ in `.gz`. */
const fileKey = (name: string) => name.toLowerCase().replace(/\.gz$/, '');

function tablesOf({ nowMs, rules, names }: ArchiveContext, activities: Activities): MemberTable[] {
  const entryOf = (activity: StravaActivity) => readRecording(recordingOf(activity), rules, nowMs);
  return [
    {
      form: 'rows',
      pattern: /^activities\.csv$/,
      collects: true,
      read: (row: Row): Entry[] => {
        const activity = readStravaActivity(row);
        if (typeof activity === 'string') return [skipped('workouts', activity)];
        activities.add(activity);
        return [];
      },
    },
    {
      form: 'recordings',
      pattern: recorded,
      complete(recording, name) {
        const activity = activities.take(name, recording);
        return activity === null ? recording : completed(recording, activity);
      },
      rest: (name) => activities.restOf(name).map(entryOf),
    },
    { form: 'joined', read: () => activities.without(names).flatMap((one) => [entryOf(one), ...lost(one)]) },
    { form: 'unread', pattern: /^routes\//, reason: 'Planned routes are no activities.' },
  ];
}

const lost = ({ file }: StravaActivity): Entry[] =>
  file === null ? [] : [skipped('tracks', 'The file of an activity is not in the archive.')];

/** A recording with what its row states. A track that the user has cropped there is longer than its workout. */
function completed(stated: Recording, activity: StravaActivity): Recording {
  const { start_ms, end_ms, totals, details, name, id } = activity;
  const isNear = start_ms >= stated.start_ms - clockToleranceMs && start_ms <= stated.end_ms;
  const recording = isNear ? stated : moved(stated, start_ms - stated.start_ms);
  const isCropped = end_ms - start_ms < recording.end_ms - recording.start_ms - clockToleranceMs;
  const within = ({ ms }: { readonly ms: number }) => ms >= start_ms && ms <= end_ms;
  return {
    ...recording,
    key: id,
    name: name ?? recording.name,
    sport: workoutTypeNamed(recording.sport) === 'other' ? activity.sport : recording.sport,
    ...(isCropped ? { start_ms, end_ms, points: recording.points.filter(within) } : {}),
    totals: { ...recording.totals, ...totals },
    details: { ...recording.details, ...details },
  };
}

function moved(recording: Recording, by: number): Recording {
  const { start_ms, end_ms, points, laps } = recording;
  return {
    ...recording,
    start_ms: start_ms + by,
    end_ms: end_ms + by,
    points: points.map((point) => ({ ...point, ms: point.ms + by })),
    laps: laps.map((lap) => ({
      ...lap,
      start_ms: lap.start_ms + by,
      end_ms: lap.end_ms === null ? null : lap.end_ms + by,
    })),
  };
}

/** The recording of an activity without a file: an entry by hand, or one whose file is damaged. */
export function recordingOf({ id, file, ...activity }: StravaActivity): Recording {
  return {
    ...activity,
    key: id,
    manual: file === null,
    device: 'unknown',
    zone_offset_minutes: null,
    laps: [],
    points: [],
  };
}
