import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Entry as ZipEntry, ZipFile } from 'yauzl';
import yauzl from 'yauzl';
import { archiveProblem, type FileBytes, FileProblem, type UnpackBudget } from './file-bytes.ts';
import { decrypted } from './zip-decryption.ts';

/** The files in an archive, which are read without unpacking it. */
export interface Archive {
  /** The names of all files with their sizes. */
  readonly files: ReadonlyMap<string, number>;
  /** What was wrong with single entries. */
  readonly problems: readonly string[];
  /** The content of a file. @throws FileProblem if its beginning is damaged, or if it is encrypted with another password */
  open(name: string): Promise<AsyncIterable<Buffer>>;
}

/** Deflate reaches 1032. The XML of an export has 20 to 30, a file of one repeated record 300. */
export const mostRatio = 400;
/** A file of this size is unpacked whatever its ratio. */
export const smallBytes = 1024 * 1024;

/** How an archive is opened. */
interface ArchiveOptions {
  readonly budget: UnpackBudget;
  readonly password: string | null;
}

/** Opens an archive. @throws FileProblem if it is cut off or no archive, has too many files, or unpacks to too much */
export async function openArchive(bytes: FileBytes, { budget, password }: ArchiveOptions): Promise<Archive> {
  try {
    const options = { autoClose: false, decodeStrings: false };
    const zip = await yauzl.fromRandomAccessReaderPromise(new BytesReader(bytes), bytes.length, options);
    budget.addMembers(zip.entryCount);
    const { entries, problems } = await indexOf(zip);
    for (const { uncompressedSize } of entries.values()) budget.addBytes(uncompressedSize);
    return {
      files: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
      problems,
      async open(name) {
        const entry = entries.get(name);
        if (entry === undefined) throw new FileProblem('A file is not in the archive.');
        if (entry.isEncrypted()) return decrypted(bytes, entry, password);
        const content = await zip.openReadStreamPromise(entry).catch(throwProblem);
        // The first bytes are unpacked here: an error before anyone reads would end the process.
        await Promise.race([once(content, 'readable'), once(content, 'end')]).catch(throwProblem);
        return withProblems(content);
      },
    };
  } catch (error) {
    throw archiveProblem(error);
  }
}

async function indexOf(zip: ZipFile) {
  const entries = new Map<string, ZipEntry>();
  const problems: string[] = [];
  for await (const entry of zip.eachEntry()) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    const problem = problemOf(entry, name);
    if (problem !== null) problems.push(problem);
    else if (entries.has(name)) problems.push('Two files in the archive have the same name.');
    else if (!name.endsWith('/')) entries.set(name, entry);
  }
  refuseOverlaps([...entries.values()]);
  return { entries, problems };
}

const localHeaderBytes = 30;

// Files that share bytes unpack to the square of the size of their archive.
function refuseOverlaps(entries: readonly ZipEntry[]): void {
  let end = 0;
  const byPosition = entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  );
  for (const { relativeOffsetOfLocalHeader: start, compressedSize, fileNameLength } of byPosition) {
    if (start < end) throw new FileProblem('Files in the archive overlap.');
    end = start + localHeaderBytes + fileNameLength + compressedSize;
  }
}

async function* withProblems(content: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) yield chunk;
  } catch (error) {
    throwProblem(error);
  }
}

function throwProblem(error: unknown): never {
  throw archiveProblem(error);
}

const [fileType, link] = [0o170000, 0o120000];
const aesMethod = 99;

function problemOf(entry: ZipEntry, name: string): string | null {
  const { uncompressedSize, compressedSize, externalFileAttributes, compressionMethod } = entry;
  if (yauzl.validateFileName(name) !== null) return 'The name of a file in the archive leads out of it.';
  if (((externalFileAttributes >>> 16) & fileType) === link) return 'A file in the archive is a link.';
  const canUnpack = entry.isEncrypted()
    ? [0, 8, aesMethod].includes(compressionMethod)
    : entry.canDecodeFileData();
  if (!canUnpack) return 'A file in the archive has an unknown compression.';
  const isBomb = uncompressedSize > smallBytes && uncompressedSize > compressedSize * mostRatio;
  return isBomb ? 'A file in the archive unpacks to too many times its size.' : null;
}

type Callback = (error: Error | null) => void;

/** Reads ranges of a file for yauzl. */
class BytesReader extends yauzl.RandomAccessReader {
  readonly #bytes: FileBytes;

  constructor(bytes: FileBytes) {
    super();
    this.#bytes = bytes;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(rangeOf(this.#bytes, start, end));
  }

  // Without this yauzl makes two streams for each entry: the index of 100,000 took 20 s.
  override read(target: Buffer, offset: number, length: number, position: number, callback: Callback): void {
    const place = target.subarray(offset, offset + length);
    fill(place, rangeOf(this.#bytes, position, position + length)).then(() => callback(null), callback);
  }
}

async function fill(place: Buffer, chunks: AsyncIterable<Buffer>): Promise<void> {
  let filled = 0;
  for await (const chunk of chunks) filled += chunk.copy(place, filled);
  if (filled < place.length) throw new FileProblem('The archive is cut off or damaged.');
}

async function* rangeOf(bytes: FileBytes, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = (await bytes.from(at)).subarray(0, end - at);
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}
