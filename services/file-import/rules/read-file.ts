import { skipped } from '../../../providers/file/entry.ts';
import { archiveKinds } from '../../../providers/file/recognised-kinds.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import {
  BatchBuilder,
  type Cursor,
  entriesPerBatch,
  type ImportBatch,
  type MemberReport,
  mostReports,
  nightsOf,
} from './batch.ts';
import { contentOfFile, type Keep, keepInMemory, withoutGzip } from './content.ts';
import { BoundExceeded, type FileBytes, FileProblem, type ReadContext, UnpackBudget } from './file-bytes.ts';
import { type Member, openMembers, outermost, UnknownKind } from './members.ts';
import { type FileKind, isArchive, recogniseFile } from './recognise.ts';

type PartStream = AsyncGenerator<ImportBatch | null, void, undefined>;

/** A file whose kind was recognised. */
interface OpenedFile {
  readonly kind: FileKind;
  /** The number of members of an archive; null for a file that is none. */
  readonly members: number | null;
  /** Parts in the order of the file. Null: as many entries as a part has, which are stored already. */
  readonly batches: PartStream;
}

/** How archives are opened. */
interface OpenOptions {
  /** The member that is read first; `context.skip` counts the entries of those before it too. */
  readonly cursor: Cursor;
  readonly password: string | null;
  /** Keeps an archive within an archive, and one that is compressed. */
  readonly keep: Keep;
}

const fromStart: OpenOptions = { cursor: { path: [], position: 0 }, password: null, keep: keepInMemory };

/** Opens a file. @throws FileProblem if its kind is unknown, or if it cannot be read */
export async function openFile(
  bytes: FileBytes,
  context: ReadContext,
  options: OpenOptions = fromStart,
): Promise<OpenedFile> {
  const { kind, members, count } = await membersOf(bytes, context, options);
  return { kind, members: count, batches: batchesOf(members, context.skip, options.cursor) };
}

type Members = AsyncGenerator<Member, void, undefined>;

async function membersOf(
  bytes: FileBytes,
  { skip, ...context }: ReadContext,
  { cursor, password, keep }: OpenOptions,
): Promise<{ readonly kind: FileKind; readonly count: number | null; readonly members: Members }> {
  const budget = new UnpackBudget();
  const content = await withoutGzip(await contentOfFile(bytes), budget);
  if (isArchive(content)) {
    const access = {
      context,
      budget,
      password,
      keep,
      kinds: archiveKinds,
      from: cursor.path,
    };
    return openMembers(await content.bytes(keep, 0), outermost, access);
  }
  const file = await recogniseFile(content, keepInMemory, { ...context, skip });
  if (file === null) throw new FileProblem('The file is none of the kinds that can be imported.');
  const read = () => file.entries;
  async function* members(): Members {
    if ((cursor.path[0] ?? 0) > 0) return;
    yield {
      path: [0],
      name: '',
      type: 'file',
      isMain: true,
      isRepeated: false,
      share: outermost.share,
      read,
    };
  }
  return { kind: file.kind, count: null, members: members() };
}

/** The most phases of sleep whose nights are computed: those of 50 years. */
const mostPhases = 1_000_000;

/** Cuts the entries of members into parts. */
class Parts {
  #builder = new BatchBuilder();
  #progress = 0;
  position: number;
  cursor: Cursor;
  /** Whether anything of the file is stored or named. */
  isNamed: boolean;
  readonly #skip: number;

  constructor(skip: number, cursor: Cursor) {
    this.#skip = skip;
    this.cursor = cursor;
    this.position = cursor.position;
    this.isNamed = skip > 0 || cursor.path.length > 0;
  }

  /** The entries of a member, and the nights of its phases of sleep. @throws FileProblem after the entries before the problem */
  async *read(member: Member): PartStream {
    const phases: SleepPhase[] = [];
    const begin = this.position;
    this.cursor = { path: member.path, position: begin };
    let problem: unknown;
    let firstReason: string | null = null;
    try {
      for await (const { entries, notes, progress } of member.read(this.#skip - this.position)) {
        for (const entry of entries) {
          this.position += 1;
          this.isNamed ||= entry?.kind !== 'phase';
          if (entry?.kind === 'skipped') firstReason ??= entry.reason;
          if (entry?.kind === 'phase') {
            if (phases.length < mostPhases) phases.push(entry.phase);
          } else if (entry !== null && this.position > this.#skip) this.#builder.add(entry, this.position);
          if (this.#isFull()) yield this.#cut();
        }
        // Notes stand behind the entries beside them, so those of stored entries are stored with the part behind them.
        if (this.position >= this.#skip && !member.isRepeated)
          for (const note of notes) this.#builder.addSkipped(note);
        this.isNamed ||= notes.length > 0;
        const { from, to } = member.share;
        this.#progress = from + progress * (to - from);
      }
    } catch (error) {
      problem = error;
    }
    // Nights are numbered after the last entry. An attempt that will be retried does not compute them.
    const isOver = problem === undefined || problem instanceof FileProblem;
    for (const night of isOver ? nightsOf(phases) : []) {
      this.position += 1;
      this.isNamed = true;
      if (this.position > this.#skip && night.kind !== 'phase') this.#builder.add(night, this.position);
      if (this.#isFull() && this.position > this.#skip) yield this.#cut();
    }
    const { path, name, share } = member;
    this.#progress = Math.max(this.#progress, isOver ? share.to : 0);
    if (isOver && !member.isMain && !member.isRepeated && name !== null) {
      const state = stateAfter(problem);
      const reason = problem instanceof FileProblem ? problem.message : firstReason;
      this.#builder.addMember({ path, name, state, reason, entries: this.position - begin });
    }
    if (problem !== undefined) throw problem;
  }

  /** What is known of many members that ended without entries. Reading goes on behind the last of them. */
  *after({ path }: Member): Generator<ImportBatch> {
    if (this.#builder.members < mostReports || this.position < this.#skip) return;
    this.cursor = { path: [...path.slice(0, -1), (path.at(-1) ?? 0) + 1], position: this.position };
    yield this.#take();
  }

  note(type: string, reason: string): void {
    this.isNamed = true;
    this.#builder.addSkipped(skipped(type, reason));
  }

  /** What was read since the last part, if it is not stored already. */
  *rest(): Generator<ImportBatch> {
    if (this.position >= this.#skip) yield this.#take();
  }

  #isFull(): boolean {
    return this.position % entriesPerBatch === 0 || this.#builder.isHeavy;
  }

  #cut(): ImportBatch | null {
    return this.position > this.#skip ? this.#take() : null;
  }

  #take(): ImportBatch {
    const batch = this.#builder.take({
      position: this.position,
      progress: this.#progress,
      cursor: this.cursor,
    });
    this.#builder = new BatchBuilder();
    return batch;
  }
}

function stateAfter(problem: unknown): MemberReport['state'] {
  if (problem === undefined) return 'read';
  return problem instanceof UnknownKind ? 'unread' : 'damaged';
}

/** The cursor of a file whose members are all stored. */
const endPath = [2 ** 31 - 1];

async function* batchesOf(members: Members, skip: number, cursor: Cursor): PartStream {
  const parts = new Parts(skip, cursor);
  let firstProblem: FileProblem | null = null;
  try {
    for await (const member of members) {
      try {
        yield* parts.read(member);
      } catch (error) {
        const isOfMember = error instanceof FileProblem && !(error instanceof BoundExceeded);
        if (!isOfMember || member.isMain) throw error;
        if (!member.isRepeated) parts.note(member.type, error.message);
        if (!(error instanceof UnknownKind)) firstProblem ??= error;
      }
      yield* parts.after(member);
    }
    // An archive of which nothing can be read is refused.
    if (firstProblem !== null && parts.position === 0) throw firstProblem;
  } catch (error) {
    if (error instanceof FileProblem || parts.position > skip) yield* parts.rest();
    throw error;
  }
  if (!parts.isNamed) parts.note('file', 'The file contains no data.');
  parts.cursor = { path: endPath, position: parts.position };
  yield* parts.rest();
}
