import type {
  ArchiveKind,
  ArchiveName,
  ElementTable,
  GroupTable,
  JoinedTable,
  MemberTable,
  UnreadTable,
} from '../../../providers/file/archives.ts';
import type { Entry } from '../../../providers/file/entry.ts';
import { type Content, contentOfChunks, type Keep, keepInMemory, withoutGzip } from './content.ts';
import {
  BoundExceeded,
  type EntryStream,
  type FileBytes,
  FileProblem,
  type ReadContext,
  type UnpackBudget,
} from './file-bytes.ts';
import { readApple } from './read-apple.ts';
import { readElements } from './read-elements.ts';
import { readRows } from './read-rows.ts';
import { isArchive, recogniseFile } from './recognise.ts';
import { type Archive, openArchive } from './zip.ts';

/** A part of a file that is read on its own: a member of an archive, or the whole file. */
export interface Member {
  /** Its number, and the numbers of the archives that it is in, from the outer one. */
  readonly path: readonly number[];
  /** Its name in the archives; null for what is known of several members, and for an entry that was refused. */
  readonly name: string | null;
  /** How `skipped` names it: by the ending of its name. */
  readonly type: string;
  /** Whether its problem is one of the file, and ends the import. */
  readonly isMain: boolean;
  /** Whether it is read only for what others need of it: what became of it is reported when its entries are read. */
  readonly isRepeated: boolean;
  /** What it is of the file, as parts of 1. */
  readonly share: Share;
  /** Its entries, of which the first `skip` are stored. */
  read(skip: number): EntryStream;
}

/** A part of the progress. */
interface Share {
  readonly from: number;
  readonly to: number;
}

/** A member is none of the kinds that are read. */
export class UnknownKind extends FileProblem {}

const notRead = 'Members of this kind are not read.';

/** What archives are read with. */
export interface ArchiveAccess {
  readonly context: Omit<ReadContext, 'skip'>;
  readonly budget: UnpackBudget;
  readonly password: string | null;
  /** Keeps an archive within an archive. */
  readonly keep: Keep;
  /** The archives of makers. */
  readonly kinds: readonly ArchiveKind[];
  /** The path of the member that is read first. Those before it are stored. */
  readonly from: readonly number[];
}

/** Archives within an archive are read, archives within those are not. */
const mostLevels = 2;

/** Where an archive is in its file. */
interface Place {
  readonly path: readonly number[];
  readonly prefix: string;
  readonly share: Share;
}

/** The place of an archive that is the file itself. */
export const outermost = { path: [], prefix: '', share: { from: 0, to: 1 } } satisfies Place;

/** An archive whose kind was recognised. */
interface OpenedArchive {
  readonly kind: ArchiveName | 'apple_health';
  /** The number of its members that are read or named. */
  readonly count: number;
  /** Its members, always in the same order. */
  readonly members: AsyncGenerator<Member, void, undefined>;
}

/** Opens an archive. `own`: how it is read within the archive of a maker. @throws FileProblem */
export async function openMembers(
  bytes: FileBytes,
  place: Place,
  access: ArchiveAccess,
  own?: readonly MemberTable[],
): Promise<OpenedArchive> {
  const archive = await openArchive(bytes, access);
  const names = [...archive.files.keys()];
  if (own !== undefined) {
    const plan = planOf(names, '', own);
    return { kind: 'archive', count: plan.length, members: membersOf(archive, plan, place, access) };
  }
  const export_ = appleExportOf(archive);
  if (export_ !== null) {
    const xml = await archive.open(export_.name);
    const others = appleOthers(names, export_);
    const members = appleMembers(archive, { ...export_, xml, others }, place, access);
    return { kind: 'apple_health', count: 1 + others.length, members };
  }
  for (const kind of access.kinds) {
    const folder = kind.recognise(names);
    if (folder === null) continue;
    const within = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
    const tables = kind.begin({ ...access.context, names: new Set(within) });
    const plan = planOf(names, folder, tables);
    return {
      kind: kind.kind,
      count: [...reportedIn(plan)].filter(isOfOne).length,
      members: membersOf(archive, plan, place, access),
    };
  }
  const plan = names.toSorted().map((name): Step => ({ name, within: name, table: byContent }));
  return { kind: 'archive', count: plan.length, members: membersOf(archive, plan, place, access) };
}

/** A member that is recognised by its content. */
const byContent = { form: 'content' } as const;

type MatchedTable = Exclude<MemberTable, JoinedTable | GroupTable>;
/** How the content of a member is read. */
type ContentTable = Exclude<MatchedTable, UnreadTable> | typeof byContent;

/** What is read after what. `within`: the name without the folder of the archive. */
type Step =
  | { readonly name: string; readonly within: string; readonly table: MatchedTable | typeof byContent }
  | { readonly name: string; readonly within: string; readonly table: GroupTable; readonly names: string[] }
  | { readonly name: null; readonly within: ''; readonly table: JoinedTable };

function planOf(names: readonly string[], folder: string, tables: readonly MemberTable[]): Step[] {
  const unmatched = new Set(names.toSorted());
  const collected = new Set<string>();
  const steps: Step[] = [];
  for (const table of tables) {
    if (table.form === 'joined') {
      steps.push({ name: null, within: '', table });
      continue;
    }
    const groups = new Map<string, string[]>();
    for (const name of unmatched) {
      const within = name.slice(folder.length);
      if (!name.startsWith(folder) || !table.pattern.test(within)) continue;
      if (table.form === 'unread' && collected.has(name)) continue;
      if (givesNoEntries(table)) collected.add(name);
      else unmatched.delete(name);
      if (table.form !== 'groups') steps.push({ name, within, table });
      else {
        const group = table.groupOf(within);
        const names = groups.get(group) ?? [];
        if (names.length === 0) steps.push({ name, within, table, names });
        groups.set(group, names);
        names.push(name);
      }
    }
  }
  for (const name of unmatched)
    if (!collected.has(name))
      steps.push({ name, within: name, table: { form: 'unread', pattern: /./, reason: notRead } });
  return steps;
}

/** The steps that are reported: of a member that is read twice only the second. */
function reportedIn(plan: readonly Step[]): ReadonlySet<Step> {
  const lastOf = new Map(plan.map((step) => [step.name, step]));
  return new Set(plan.filter((step) => step.name === null || lastOf.get(step.name) === step));
}

const isOfOne = ({ name }: Step) => name !== null;

async function* membersOf(
  archive: Archive,
  plan: readonly Step[],
  place: Place,
  access: ArchiveAccess,
): AsyncGenerator<Member, void, undefined> {
  const first = firstOf(place, access);
  const reported = reportedIn(plan);
  const sizeOf = (step: Step) => {
    const names = 'names' in step ? step.names : step.name === null ? [] : [step.name];
    return names.reduce((sum, name) => sum + (archive.files.get(name) ?? 0), 1);
  };
  const total = plan.reduce((sum, step) => sum + sizeOf(step), 0);
  let done = 0;
  for (const [number, step] of plan.entries()) {
    const from = shareAt(place.share, done / total);
    done += sizeOf(step);
    const share = { from, to: shareAt(place.share, done / total) };
    const isStored = number < first;
    if (isStored && !collects(step.table)) continue;
    const members = stepMembers(archive, step, { ...place, path: [...place.path, number], share }, access);
    for await (const member of members) {
      const isRepeated = member.isRepeated || isStored || !reported.has(step);
      const read = isStored ? () => collected(member.read(0)) : member.read;
      yield { ...member, isRepeated, read };
    }
  }
  yield* problemMembers(archive.problems, plan.length, place, first);
}

/** Members that were refused when the archive was opened. */
function* problemMembers(problems: readonly string[], begin: number, place: Place, first: number) {
  for (const [index, problem] of problems.entries())
    if (begin + index >= first)
      yield memberAt({ ...place, path: [...place.path, begin + index] }, null, () =>
        failing(new FileProblem(problem)),
      );
}

function memberAt({ path, prefix, share }: Place, name: string | null, read: Member['read']): Member {
  const type = name === null ? 'archive' : endingOf(name);
  const whole = name === null ? null : `${prefix}${name}`;
  return { path, name: whole, type, isMain: false, isRepeated: false, share, read };
}

/** The number of the first member of an archive that is not stored. */
function firstOf({ path }: Place, { from }: ArchiveAccess): number {
  return path.every((number, index) => number === from[index]) ? (from[path.length] ?? 0) : 0;
}

const shareAt = ({ from, to }: Share, part: number) => from + (to - from) * part;

/** Whether a table reads members for others only, so that a later one may read their entries. */
const givesNoEntries = (table: Step['table']) =>
  (table.form === 'rows' || table.form === 'elements') && table.collects === true;

/** Whether later tables need what a table reads. */
function collects(table: Step['table']): boolean {
  switch (table.form) {
    case 'rows':
    case 'elements':
    case 'groups':
    case 'recordings':
      return table.collects === true;
    case 'archives':
      return table.members?.some(collects) === true;
  }
  return false;
}

async function* stepMembers(
  archive: Archive,
  step: Step,
  place: Place,
  access: ArchiveAccess,
): AsyncGenerator<Member, void, undefined> {
  if ('names' in step) return yield memberAt(place, step.name, () => readGroup(archive, step, access));
  const { name, within, table } = step;
  const member = (read: Member['read']) => memberAt(place, name, read);
  if (table.form === 'joined') return yield member(() => entriesOf(table.read()));
  if (name === null) return;
  if (table.form === 'unread') return yield member(() => failing(new UnknownKind(table.reason)));
  let content: Content;
  try {
    content = await openContent(archive, name, access.budget);
  } catch (error) {
    // Reading the member shows its problem.
    return yield member(() =>
      table.form === 'recordings' ? withRest(failing(error), () => table.rest(within)) : failing(error),
    );
  }
  try {
    if (isArchive(content) && (table.form === 'archives' || table.form === 'content')) {
      const own = table.form === 'archives' ? table.members : undefined;
      const inner = { ...place, prefix: `${place.prefix}${name}/` };
      const nested = await nestedArchive(content, inner, access, own);
      if (nested instanceof FileProblem) yield member(() => failing(nested));
      else yield* nested.members;
    } else yield member((skip) => readContent(content, table, within, { ...access.context, skip }));
  } finally {
    await content.close();
  }
}

/** The most elements of a group: those of a day with one each second, of each of its members. */
const mostElements = 400_000;

/** The entries of a group, and then the first problem of its members. */
async function* readGroup(
  archive: Archive,
  { names, table, name: first, within }: Extract<Step, { readonly names: string[] }>,
  { budget }: ArchiveAccess,
): EntryStream {
  const folder = first.slice(0, first.length - within.length);
  const members = new Map<string, unknown[]>();
  let problem: unknown = null;
  for (const name of names) {
    const elements: unknown[] = [];
    members.set(name.slice(folder.length), elements);
    const gather: ElementTable = {
      form: 'elements',
      pattern: table.pattern,
      list: [],
      read(element) {
        elements.push(element);
        if (elements.length > mostElements) throw new FileProblem('A member has too many elements.');
        return [];
      },
    };
    try {
      const content = await openContent(archive, name, budget);
      for await (const _ of readElements(content, gather, name));
    } catch (error) {
      if (!(error instanceof FileProblem) || error instanceof BoundExceeded) throw error;
      problem ??= error;
    }
  }
  yield { entries: table.read(members), notes: [], progress: 1 };
  if (problem !== null) throw problem;
}

async function nestedArchive(
  content: Content,
  place: Place,
  access: ArchiveAccess,
  own: readonly MemberTable[] | undefined,
) {
  if (place.path.length >= mostLevels) return new FileProblem('An archive within archives is not read.');
  try {
    return await openMembers(await content.bytes(access.keep, place.path.length), place, access, own);
  } catch (error) {
    if (error instanceof BoundExceeded || !(error instanceof FileProblem)) throw error;
    return error;
  }
}

async function openContent(archive: Archive, name: string, budget: UnpackBudget): Promise<Content> {
  const packed = await contentOfChunks(await archive.open(name), archive.files.get(name) ?? 0);
  return withoutGzip(packed, budget);
}

// biome-ignore lint/correctness/useYield: the problem is all that it gives
async function* failing(problem: unknown): EntryStream {
  throw problem;
}

async function* entriesOf(entries: readonly Entry[]): EntryStream {
  yield { entries, notes: [], progress: 1 };
}

function readContent(content: Content, table: ContentTable, name: string, context: ReadContext): EntryStream {
  switch (table.form) {
    case 'archives':
      return failing(new UnknownKind('The member is no archive.'));
    case 'rows':
      return table.collects === true
        ? collected(readRows(content, table, name))
        : readRows(content, table, name);
    case 'elements':
      return table.collects === true
        ? collected(readElements(content, table, name))
        : readElements(content, table, name);
    case 'recordings':
      return withRest(
        recognised(content, { ...context, complete: (recording) => table.complete(recording, name) }),
        () => table.rest(name),
      );
    case 'content':
      return recognised(content, context);
  }
}

async function* recognised(content: Content, context: ReadContext): EntryStream {
  const file = await recogniseFile(content, keepInMemory, context);
  if (file === null) throw new UnknownKind(notRead);
  yield* file.entries;
}

/** The entries of a recording, and those that its archive has beside it. */
async function* withRest(stream: EntryStream, rest: () => readonly Entry[]): EntryStream {
  let problem: unknown = null;
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof FileProblem) || error instanceof BoundExceeded) throw error;
    problem = error;
  }
  yield { entries: rest(), notes: [], progress: 1 };
  if (problem !== null) throw problem;
}

/** Members that are needed by later ones: what they skip is noted, and is no entry. */
async function* collected(stream: EntryStream): EntryStream {
  for await (const { entries, notes, progress } of stream) {
    const skips = entries.filter((entry) => entry?.kind === 'skipped');
    yield { entries: [], notes: [...notes, ...skips], progress };
  }
}

const ending = /\.[a-z0-9]{1,8}(\.gz)?$/;

/** The ending of a name. Other parts of it are not shown, as they may say something of the user. */
function endingOf(name: string): string {
  return ending.exec(name.toLowerCase())?.[0] ?? 'member';
}

const exportFile = /^(.*apple_health_export)\/[^/]+\.xml$/;

/** An export of Apple Health in an archive. */
interface AppleFiles {
  readonly name: string;
  readonly length: number;
  readonly folder: string;
}

// The file name depends on the language of the phone. The largest document of the folder is the export.
function appleExportOf({ files }: Archive): AppleFiles | null {
  const [largest] = [...files]
    .filter(([name]) => exportFile.test(name) && !/_cda\.xml$/i.test(name))
    .toSorted(([, a], [, b]) => b - a);
  if (largest === undefined) return null;
  const [name, length] = largest;
  return { name, length, folder: exportFile.exec(name)?.[1] ?? '' };
}

/** The members that an export names nowhere. Routes are read where a workout names them. */
function appleOthers(names: readonly string[], { name, folder }: AppleFiles): string[] {
  const isOther = (other: string) => other !== name && !other.startsWith(`${folder}/workout-routes/`);
  return names.filter(isOther).toSorted();
}

async function* appleMembers(
  archive: Archive,
  {
    xml,
    name,
    length,
    folder,
    others,
  }: AppleFiles & { readonly xml: AsyncIterable<Buffer>; readonly others: readonly string[] },
  place: Place,
  access: ArchiveAccess,
): AsyncGenerator<Member, void, undefined> {
  const first = firstOf(place, access);
  const files = { files: archive, folder };
  const main = memberAt({ ...place, path: [...place.path, 0] }, name, (skip) =>
    readApple({ xml, length, archive: files }, { ...access.context, skip }),
  );
  if (first === 0) yield { ...main, isMain: place.path.length === 0 };
  for (const [index, other] of others.entries())
    if (index + 1 >= first)
      yield memberAt({ ...place, path: [...place.path, index + 1] }, other, () =>
        failing(new UnknownKind(notRead)),
      );
}
