import { ownValue } from '../../../domain/own-value.ts';
import { type Item, isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import { textOrNull } from '../../phone/normalise/item.ts';
import {
  type Clocks,
  type FamilyClock,
  measuredIn,
  numberIn,
  offsetBetween,
  offsetMinutes,
  unzonedMs,
  zonedMs,
} from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type Entry, type Skipped, skipped } from '../entry.ts';
import { mostPoints, type Point, readRecording } from '../recording.ts';
import type { CountedSpan } from './sums.ts';

/** The figures of an exercise; null: not stated. */
interface Figures {
  readonly calories: number | null;
  readonly distance: number | null;
  readonly steps: number | null;
  readonly elevationGain: number | null;
  readonly averageRate: number | null;
  readonly peakRate: number | null;
  readonly activeMs: number | null;
  readonly swimLengths: number | null;
}

interface Stated {
  readonly id: string;
  readonly name: string;
  readonly device: string | null;
  readonly isManual: boolean;
  readonly figures: Figures;
}

/** An exercise of `exercise-N.json`. Its clock is not stated. */
interface UnzonedExercise extends Stated {
  readonly unzonedMs: number;
  readonly durationMs: number;
}

/** An exercise of `UserExercises`, whose times are UTC. */
interface ListedExercise extends Stated {
  readonly startMs: number;
  readonly endMs: number;
  readonly offset: number | null;
}

/** An exercise where it is in time, with what both trees state of it. The first one counts. */
interface PlacedExercise {
  readonly startMs: number;
  readonly endMs: number;
  readonly offset: number | null;
  readonly isLocal: boolean;
  readonly stated: readonly [Stated, ...Stated[]];
}

/** What shows the clock of exercises without a zone. */
interface ShownBySteps {
  /** By the steps in them; null if these do not show it. */
  within(spans: readonly CountedSpan[]): FamilyClock | null;
  /** The clock of the steps without a zone. */
  ofSteps(): FamilyClock | null;
}

/**
 * The exercises of an archive, of which two trees of members have the same. `UserExercises` counts, because it has instants and an offset;
 * `exercise-N.json` completes it, and counts for exercises that it does not have.
 */
export class Exercises {
  readonly #clocks: Clocks;
  readonly #shown: ShownBySteps;
  readonly #unzoned = new Map<string, UnzonedExercise>();
  readonly #listed = new Map<string, ListedExercise>();
  readonly #problems: Skipped[] = [];
  readonly #tracks = new Map<PlacedExercise, Map<string, TrackColumns>>();
  #points = 0;
  #placed: readonly PlacedExercise[] | null = null;

  constructor(clocks: Clocks, shown: ShownBySteps) {
    this.#clocks = clocks;
    this.#shown = shown;
  }

  /** Takes an element of `exercise-N.json`. */
  addElement(element: unknown): void {
    const item = isItem(element) ? element : {};
    const start = unzonedMs(item.startTime);
    const durationMs = numberIn(item.duration);
    if (Number.isNaN(start) || durationMs === null || durationMs < 0)
      this.#problems.push(skipped('workouts', 'The activity has no time.'));
    else {
      const id = String(item.logId ?? start);
      this.#unzoned.set(id, { ...statedOfElement(item, id), unzonedMs: start, durationMs });
    }
  }

  /** Takes a row of `UserExercises`, and what it states of the clock. */
  addRow(row: Row): void {
    const [startMs, endMs] = [zonedMs(row.exercise_start), zonedMs(row.exercise_end)];
    if (!(endMs >= startMs)) {
      this.#problems.push(skipped('workouts', 'The activity has no time.'));
      return;
    }
    const offset = offsetMinutes(row.utc_offset);
    if (offset !== null) this.#clocks.state(startMs, offset);
    const id = row.exercise_id || String(startMs);
    this.#listed.set(id, { ...statedOfRow(row, id), startMs, endMs, offset });
  }

  /** Takes a row of `gps_location`: a position counts for the exercise in whose time it is. */
  addPosition(row: Row): void {
    const [ms, latitude, longitude] = [
      zonedMs(row.timestamp),
      numberIn(row.latitude),
      numberIn(row.longitude),
    ];
    if (Number.isNaN(ms) || latitude === null || longitude === null) return;
    for (const exercise of this.#at(ms)) {
      const devices = this.#tracks.get(exercise) ?? new Map<string, TrackColumns>();
      this.#tracks.set(exercise, devices);
      const source = row['data source'] ?? '';
      const columns = devices.get(source) ?? new TrackColumns(exercise.startMs);
      devices.set(source, columns);
      if (columns.length >= mostPoints || this.#points >= mostPositions) return;
      this.#points += 1;
      columns.add(ms, latitude, longitude, numberIn(row.altitude));
    }
  }

  // Exercises are sorted by start, and few overlap: the two that began last before an instant are compared.
  #at(ms: number): PlacedExercise[] {
    const placed = this.#place();
    let [low, high] = [0, placed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((placed[middle]?.startMs ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return placed.slice(Math.max(0, low - 2), low).filter(({ endMs, isLocal }) => ms <= endMs && !isLocal);
  }

  /** The entries of all exercises, with their tracks. */
  entries(rules: VersionedRules | null, nowMs: number): Entry[] {
    const entries = this.#place().map((exercise) => this.#entryOf(exercise, rules, nowMs));
    return [...this.#problems, ...entries];
  }

  #place(): readonly PlacedExercise[] {
    this.#placed ??= this.#joined();
    return this.#placed;
  }

  #joined(): PlacedExercise[] {
    const free = new Set(this.#unzoned.values());
    const byStart = [...free].toSorted((a, b) => a.unzonedMs - b.unzonedMs);
    const votes = { utc: 0, local: 0 };
    const listed = [...this.#listed.values()].map((exercise): PlacedExercise => {
      const match = byStart.find((one) => free.has(one) && isSame(exercise, one));
      if (match !== undefined) {
        free.delete(match);
        const between = offsetBetween(match.unzonedMs, exercise.startMs);
        if (between === 0) votes.utc += 1;
        if (between === exercise.offset) votes.local += 1;
      }
      const { startMs, endMs, offset } = exercise;
      return {
        startMs,
        endMs,
        offset,
        isLocal: false,
        stated: match === undefined ? [exercise] : [exercise, match],
      };
    });
    const clock = this.#clockOf(votes, [...free]);
    const others = [...free].map((exercise): PlacedExercise => {
      const { ms, offset } =
        clock === 'utc' ? { ms: exercise.unzonedMs, offset: null } : this.#clocks.place(exercise.unzonedMs);
      const isLocal = clock === 'local' && offset === null;
      return { startMs: ms, endMs: ms + exercise.durationMs, offset, isLocal, stated: [exercise] };
    });
    return [...listed, ...others].sort((a, b) => a.startMs - b.startMs);
  }

  #clockOf(votes: Readonly<Record<FamilyClock, number>>, others: readonly UnzonedExercise[]): FamilyClock {
    if (votes.utc !== votes.local) return votes.utc > votes.local ? 'utc' : 'local';
    const spans = others.flatMap(({ unzonedMs: startMs, durationMs: lengthMs, figures: { steps } }) =>
      steps === null ? [] : [{ startMs, lengthMs, sum: steps }],
    );
    const shown = votes.utc > 0 ? 'utc' : this.#shown.within(spans);
    if (shown !== null || others.length === 0) return shown ?? 'utc';
    const assumed = this.#shown.ofSteps() ?? 'utc';
    this.#problems.push(skipped('workouts', sentences[assumed], 0));
    return assumed;
  }

  #entryOf(exercise: PlacedExercise, rules: VersionedRules | null, nowMs: number): Entry {
    const { startMs, endMs, offset, isLocal, stated } = exercise;
    const [first] = stated;
    const figure = (name: keyof Figures) =>
      stated.map(({ figures }) => figures[name]).find((value) => value !== null) ?? null;
    const activeMs = figure('activeMs');
    const swimLengths = figure('swimLengths');
    const entry = readRecording(
      {
        // The ids of the two trees differ, and another archive may lack either. The start is the same.
        key: `fitbit ${Math.floor(startMs / 1000)}`,
        sport: first.name.toLowerCase().replaceAll(/\s+/g, '_') || 'other',
        name: null,
        device: stated.map(({ device }) => device).find((device) => device !== null) ?? 'Fitbit',
        manual: stated.some(({ isManual }) => isManual),
        start_ms: startMs,
        end_ms: endMs,
        zone_offset_minutes: offset,
        totals: {
          moving_seconds: activeMs === null ? null : activeMs / 1000,
          calories_kcal: figure('calories'),
          distance_meters: figure('distance'),
          elevation_gain_meters: figure('elevationGain'),
          avg_heart_rate_bpm: figure('averageRate'),
          max_heart_rate_bpm: figure('peakRate'),
          steps: figure('steps'),
        },
        details: {
          activity_id: first.id,
          swim_lengths: swimLengths === null ? null : Math.round(swimLengths),
        },
        laps: [],
        points: this.#trackOf(exercise),
      },
      rules,
      nowMs,
    );
    return isLocal && entry.kind === 'item' ? { ...entry, item: { ...entry.item, is_local: true } } : entry;
  }

  // A phone and a watch record the same way a few meters apart. The one with most positions counts.
  #trackOf(exercise: PlacedExercise): Point[] {
    const devices = [...(this.#tracks.get(exercise)?.values() ?? [])];
    return devices.toSorted((a, b) => b.length - a.length)[0]?.points() ?? [];
  }
}

/** What was assumed of exercises without a zone whose clock nothing in the archive shows. */
const sentences: Readonly<Record<FamilyClock, string>> = {
  utc: 'The archive does not show the clock of exercises without a zone: UTC was assumed.',
  local: 'The archive does not show the clock of exercises without a zone: that of the user was assumed.',
};

/** The most positions of an archive: 2,000 hours. */
const mostPositions = 8_000_000;

/** Positions of an exercise. An object for each would take seven times the memory. */
class TrackColumns {
  readonly #startMs: number;
  #columns = new Int32Array(columnsPerPoint * 512);
  length = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  add(ms: number, latitude: number, longitude: number, altitude: number | null): void {
    const at = this.length * columnsPerPoint;
    if (at === this.#columns.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#columns);
      this.#columns = larger;
    }
    const height = altitude === null ? noAltitude : Math.round(altitude * centimeters);
    this.#columns.set(
      [ms - this.#startMs, Math.round(latitude * degrees), Math.round(longitude * degrees), height],
      at,
    );
    this.length += 1;
  }

  points(): Point[] {
    return Array.from({ length: this.length }, (_, index) => {
      const from = index * columnsPerPoint;
      const [ms = 0, latitude = 0, longitude = 0, height = noAltitude] = this.#columns.subarray(
        from,
        from + columnsPerPoint,
      );
      const point = { ms: this.#startMs + ms, latitude: latitude / degrees, longitude: longitude / degrees };
      return height === noAltitude ? point : { ...point, altitude: height / centimeters };
    });
  }
}

const columnsPerPoint = 4;
/** A centimeter. */
const degrees = 10_000_000;
const centimeters = 100;
const noAltitude = -(2 ** 31);

// The time without a zone is that of UTC, or that of the user's clock.
function isSame(listed: ListedExercise, { unzonedMs: start, durationMs }: UnzonedExercise): boolean {
  const { startMs, endMs, offset } = listed;
  const between = offsetBetween(start, startMs);
  const isClock = between !== null && (offset === null || between === 0 || between === offset);
  return isClock && Math.abs(endMs - startMs - durationMs) <= minuteMs;
}

function statedOfRow(row: Row, id: string): Stated {
  const total = (name: string) =>
    measuredIn(row[`tracker_total_${name}`]) ?? measuredIn(row[`manually_logged_total_${name}`]);
  const [millimeters, climbed] = [total('distance_mm'), total('altitude_mm')];
  return {
    id,
    name: row.activity_name ?? '',
    device: null,
    isManual: /manual/i.test(row.log_type ?? ''),
    figures: {
      calories: total('calories'),
      distance: millimeters === null ? null : millimeters / 1000,
      steps: total('steps'),
      elevationGain: climbed === null ? null : climbed / 1000,
      averageRate: measuredIn(row.tracker_avg_heart_rate),
      peakRate: measuredIn(row.tracker_peak_heart_rate),
      activeMs: null,
      swimLengths: measuredIn(row.tracker_swim_lengths),
    },
  };
}

const metersPer: Readonly<Record<string, number>> = { kilometer: 1000, mile: 1609.344, meter: 1 };

function statedOfElement(item: Item, id: string): Stated {
  const distance = measuredIn(item.distance);
  const meters = ownValue(metersPer, String(item.distanceUnit ?? '').toLowerCase());
  return {
    id,
    name: textOrNull(item.activityName, 100) ?? '',
    device: textOrNull(valueAt(item, ['source', 'name']), 100),
    isManual: item.logType === 'manual',
    figures: {
      calories: measuredIn(item.calories),
      distance: distance === null || meters === undefined ? null : distance * meters,
      steps: measuredIn(item.steps),
      elevationGain: measuredIn(item.elevationGain),
      averageRate: measuredIn(item.averageHeartRate),
      peakRate: null,
      activeMs: measuredIn(item.activeDuration),
      swimLengths: measuredIn(item.swimLengths),
    },
  };
}
