import type { SampleBlock, WorkoutRecord } from '../records/records.ts';
import type { GivenDetails, LapRecord } from '../workouts/details.ts';
import type { Track } from '../workouts/track.ts';
import type { OfSettings } from './of-settings.ts';

/** A file at an address that a record names, with what a device recorded of a workout. */
export interface RecordFile {
  readonly format: 'fit';
  /** The path of the field with the address. Whoever has the address can read the file: it is neither kept nor logged. */
  readonly address: string;
  /** The origins that may serve the files. Nothing is requested from another one, and no request has a token. */
  readonly origins: OfSettings<[], readonly string[]>;
}

/** What a file says. */
export interface FileContent {
  /** Null: the file has several workouts, of which the record is the whole. */
  readonly workout: WorkoutRecord | null;
  readonly details: GivenDetails;
  readonly laps: readonly LapRecord[];
  readonly samples: readonly SampleBlock[];
  readonly track: Track | null;
  /** The hash of the bytes. */
  readonly hash: string;
}

/**
 * Why a record has nothing of its file. `file_refused`: the address is of another host, or leads to one. `file_unavailable`: the host
 * did not answer several times.
 */
export type FileProblem =
  | 'file_refused'
  | 'file_missing'
  | 'file_too_large'
  | 'file_unreadable'
  | 'file_unavailable';

/** The files of the records of a part, by their addresses. */
export type RecordFiles = ReadonlyMap<string, FileContent | FileProblem>;
