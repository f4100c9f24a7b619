import type { VersionedRules } from '../../domain/workouts/cut-chunks.ts';
import type { Row } from './csv.ts';
import type { Entry } from './entry.ts';
import type { Recording } from './recording.ts';

/**
 * An archive of a maker: how it is recognised, and how each of its members is read. Its headers may be translated and its folders
 * may move, so it is recognised by the names of its members. An archive has a folder beside this file, its name in `archiveNames`, a line
 * in `archive-kinds.ts`, its fields in `fields.ts`, and a writer in `sandbox/files/archives.ts`.
 */
export interface ArchiveKind {
  readonly kind: ArchiveName;
  /** The folder of its members with the slash at its end, '' for none; null if the names are those of another archive. */
  recognise(names: readonly string[]): string | null;
  /** Begins to read an archive. The tables may share what they have read: it is kept until the archive is read. */
  begin(context: ArchiveContext): readonly MemberTable[];
}

/** The archives that are recognised. */
export const archiveNames = [
  'archive',
  'strava_archive',
  'garmin_account',
  'samsung_health',
  'fitbit_archive',
  'polar_flow',
  'zepp',
  'whoop_data',
  'oura_data',
  'withings_data',
] as const;
export type ArchiveName = (typeof archiveNames)[number];

/** What the tables of an archive need besides its members. */
export interface ArchiveContext {
  readonly nowMs: number;
  readonly rules: VersionedRules | null;
  /** That of the user, if it is known. */
  readonly timeZone: string | null;
  /** The names of all members, without the folder of the archive. */
  readonly names: ReadonlySet<string>;
}

/**
 * How members are read whose names, without the folder of the archive, match a pattern. Tables are read in their order, and the members
 * of a table in the order of their names, because an import that goes on relies on the order. Of several tables that match a member the
 * first one counts, beside those that collect. Members that none matches are not unpacked.
 */
export type MemberTable =
  | RowTable
  | ElementTable
  | GroupTable
  | RecordingTable
  | UnreadTable
  | ArchiveTable
  | JoinedTable;

interface Matched {
  readonly pattern: RegExp;
}

/** Members that are tables of text. The dialect is recognised. */
export interface RowTable extends Matched {
  readonly form: 'rows';
  /**
   * What is read is needed by later tables: these members are read again by an import that goes on. Their entries are only those that
   * were skipped. A later table may match the same members, and then gives their entries.
   */
  readonly collects?: boolean;
  /** A line above the header, such as a name of the table, is passed over. */
  readonly headerLine?: number;
  /** The entries of a row. Names of columns that stand twice have a number from the second on: `Distance 2`. */
  read(row: Row, name: string): readonly Entry[];
}

/** Members that are JSON. */
export interface ElementTable extends Matched {
  readonly form: 'elements';
  readonly collects?: boolean;
  /**
   * The names of the fields that lead to the array of elements; none if the document is the array, or a single element. `*` is each
   * element of an array.
   */
  readonly list: readonly string[];
  /** The entries of an element. */
  read(element: unknown, name: string): readonly Entry[];
}

/** Members that are JSON, of which several are read together: each is an array of elements. */
export interface GroupTable extends Matched {
  readonly form: 'groups';
  /** Later tables need to know what was read: an import that goes on reads these members again without their entries. */
  readonly collects?: boolean;
  /** The name of the group of a member. */
  groupOf(name: string): string;
  /** The entries of a group, from the elements of its members by their names. Of a damaged member those before the damage. */
  read(members: ReadonlyMap<string, readonly unknown[]>): readonly Entry[];
}

/** Members that are FIT, TCX or GPX, also compressed. */
interface RecordingTable extends Matched {
  readonly form: 'recordings';
  /** Later tables need to know which recordings there were: an import that goes on reads these members again without their entries. */
  readonly collects?: boolean;
  /** The recording with what the archive states of it elsewhere. */
  complete(recording: Recording, name: string): Recording;
  /** Entries beside those of the member, once it was read or found damaged. */
  rest(name: string): readonly Entry[];
}

/** Members that are known and not kept, with the reason as a sentence. */
export interface UnreadTable extends Matched {
  readonly form: 'unread';
  readonly reason: string;
}

/** Members that are archives. Without tables their own members are read by their content. */
interface ArchiveTable extends Matched {
  readonly form: 'archives';
  readonly members?: readonly MemberTable[];
}

/** Entries that are known when all members above have been read. */
export interface JoinedTable {
  readonly form: 'joined';
  read(): readonly Entry[];
}
