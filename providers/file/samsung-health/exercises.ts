import { ownValue } from '../../../domain/own-value.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import { accepts } from '../../../domain/records/series.ts';
import type { VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import { type Entry, keyOf, skipped } from '../entry.ts';
import { endsIn, figuresOf } from '../figures.ts';
import { type Point, type Recording, readRecording } from '../recording.ts';
import {
  type Cells,
  type Devices,
  instantIn,
  keptCells,
  measuredIn,
  numberIn,
  type RowSpan,
  spanOf,
  textIn,
} from './cells.ts';
import { exerciseElements, exerciseRow } from './fields.ts';
import { rowIdOf } from './members.ts';

/** Sports by their codes. An unknown one is `other`. */
const sports: Readonly<Record<string, string>> = {
  1001: 'walking',
  1002: 'running',
  9001: 'pilates',
  9002: 'yoga',
  10007: 'circuit_training',
  11007: 'cycling',
  13001: 'hiking',
  13004: 'mountain_biking',
  14001: 'swimming',
  14010: 'rowing_machine',
  15002: 'weight_training',
  15003: 'indoor_cycling',
  15004: 'rowing_machine',
  15005: 'treadmill',
  15006: 'elliptical',
  16009: 'snowshoeing',
};

/** Types whose cadence counts both feet. */
const onFoot = new Set(['walking', 'running', 'hiking']);

interface Exercise {
  readonly cells: Cells;
  readonly span: RowSpan;
}

const columns = [...Object.keys(exerciseRow), 'deviceuuid'];
const [totalEnds, detailEnds] = [endsIn(exerciseRow, 'workout'), endsIn(exerciseRow, 'details')];
const streamEnds = endsIn(exerciseElements, 'streams');

/** The exercises of the table, which are completed by the JSON of their rows. */
export class Exercises {
  readonly #byId = new Map<string, Exercise>();
  readonly #all = new Map<string, Exercise>();
  readonly #used = new Set<Exercise>();
  readonly #devices: Devices;
  readonly #context: { readonly nowMs: number; readonly rules: VersionedRules | null };

  constructor(devices: Devices, context: { readonly nowMs: number; readonly rules: VersionedRules | null }) {
    this.#devices = devices;
    this.#context = context;
  }

  /** Adds a row. */
  add(cells: Cells): Entry[] {
    const span = spanOf(cells, this.#context.nowMs);
    if (typeof span === 'string') return [skipped('workouts', span)];
    const milliseconds = numberIn(cells.duration) ?? 0;
    const hasEnd = span.end_ms > span.start_ms;
    const kept = keptCells(cells, columns);
    const exercise = { cells: kept, span: hasEnd ? span : { ...span, end_ms: span.start_ms + milliseconds } };
    const id = textIn(cells.datauuid)?.toLowerCase() ?? `row ${this.#all.size}`;
    this.#all.set(id, exercise);
    // Old exports have a flag in the place of the name of a member.
    const named = [cells.live_data, cells.location_data].map((cell) => rowIdOf(textIn(cell) ?? ''));
    for (const name of [id, ...named]) if (name.length > 1) this.#byId.set(name, exercise);
    return [];
  }

  /** The workout of the elements of the JSON of one row. */
  read(members: ReadonlyMap<string, readonly unknown[]>): Entry[] {
    const names = [...members.keys()];
    const exercise = names.map((name) => this.#byId.get(rowIdOf(name))).find((one) => one !== undefined);
    if (exercise === undefined)
      return [skipped('workouts', 'The data of an exercise has no row.', names.length)];
    if (this.#used.has(exercise)) return [];
    this.#used.add(exercise);
    return this.#entries(exercise, pointsOf([...members.values()].flat(), sportOf(exercise)));
  }

  /** The exercises without JSON. */
  rest(): Entry[] {
    return [...new Set(this.#all.values())]
      .filter((exercise) => !this.#used.has(exercise))
      .flatMap((exercise) => this.#entries(exercise, []));
  }

  #entries(exercise: Exercise, points: readonly Point[]): Entry[] {
    const { cells, span } = exercise;
    const source = this.#devices.sourceOf(cells);
    const recording: Recording = {
      ...span,
      key: textIn(cells.datauuid) ?? keyOf('exercise', source, span, cells.exercise_type),
      sport: sportOf(exercise),
      name: null,
      device: source.device,
      totals: { ...figuresOf(totalEnds, (field) => totalIn(field, cells)), moving_seconds: movingOf(cells) },
      details: figuresOf(detailEnds, (field) => totalIn(field, cells)),
      laps: [],
      points,
    };
    const workout = readRecording(recording, this.#context.rules, this.#context.nowMs);
    const vo2Max = measuredIn(cells.vo2_max);
    if (workout.kind !== 'item' || vo2Max === null || !accepts('vo2_max', vo2Max)) return [workout];
    const record = { ...span, kind: 'sample', id: '', series: 'vo2_max', value: vo2Max, source } as const;
    return [workout, { kind: 'record', record }];
  }
}

function sportOf({ cells }: Exercise): string {
  return ownValue(sports, textIn(cells.exercise_type)?.replace(/\.0$/, '') ?? '') ?? 'other';
}

function movingOf({ duration }: Cells): number | null {
  const milliseconds = measuredIn(duration);
  return milliseconds === null ? null : Math.round(milliseconds / 1000);
}

/** Totals of which 0 is a value. */
const canBeZero = new Set(['altitude_gain', 'altitude_loss', 'distance']);

function totalIn(field: string, cells: Cells): number | null {
  if (field === 'duration') return null;
  return canBeZero.has(field) ? numberIn(cells[field]) : measuredIn(cells[field]);
}

/** The points of elements. What was measured at one instant is one point. */
function pointsOf(elements: readonly unknown[], sport: string): Point[] {
  const feet = onFoot.has(workoutTypeNamed(sport)) ? 2 : 1;
  const points = new Map<number, { ms: number } & { [S in StreamType]?: number }>();
  for (const element of elements) {
    const ms = isItem(element) ? instantIn(element.start_time) : null;
    if (ms === null || !isItem(element)) continue;
    const measured = figuresOf(streamEnds, (field) => {
      const value = numberIn(element[field]);
      return field === 'cadence' && value !== null ? value / feet : value;
    });
    points.set(ms, Object.assign(points.get(ms) ?? { ms }, measured));
  }
  return [...points.values()];
}
