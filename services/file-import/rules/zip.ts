import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Entry as ZipEntry, ZipFile } from 'yauzl';
import yauzl from 'yauzl';
import { archiveProblem, type FileBytes, FileProblem } from './file-bytes.ts';

/** The files in an archive, which are read without unpacking it. */
export interface Archive {
  /** The names of all files with their sizes. */
  readonly files: ReadonlyMap<string, number>;
  /** What was wrong with single entries. */
  readonly problems: readonly string[];
  /** The content of a file. @throws FileProblem if its beginning is damaged */
  open(name: string): Promise<Readable>;
}

const mostEntries = 200_000;
/** A file that unpacks to more is refused: an export of ten years has 8 GB. */
const mostBytes = 32 * 1024 ** 3;
/** Deflate reaches 1032. The XML of an export has 20 to 30, a file of one repeated record 300. */
const mostRatio = 400;
const smallBytes = 1024 * 1024;

/** Opens an archive. @throws FileProblem if it is cut off or no archive, has too many files, or unpacks to too much */
export async function openArchive(bytes: FileBytes): Promise<Archive> {
  const options = { lazyEntries: true, decodeStrings: false, autoClose: false };
  try {
    const zip = await yauzl.fromRandomAccessReaderPromise(new BytesReader(bytes), bytes.length, options);
    return await indexArchive(zip);
  } catch (error) {
    throw archiveProblem(error);
  }
}

async function indexArchive(zip: ZipFile): Promise<Archive> {
  if (zip.entryCount > mostEntries) throw new FileProblem('The archive has too many files.');
  const entries = new Map<string, ZipEntry>();
  const problems: string[] = [];
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    const problem = problemOf(entry, name);
    if (problem !== null) problems.push(problem);
    else if (!name.endsWith('/')) {
      total += entry.uncompressedSize;
      entries.set(name, entry);
    }
  }
  if (total > mostBytes) throw new FileProblem('The archive unpacks to too much.');
  return {
    files: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
    problems,
    async open(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new FileProblem('A file is not in the archive.');
      const content = await zip.openReadStreamPromise(entry).catch(throwProblem);
      // The first bytes are unpacked here: an error before anyone reads would end the process.
      await Promise.race([once(content, 'readable'), once(content, 'end')]).catch(throwProblem);
      return content;
    },
  };
}

function throwProblem(error: unknown): never {
  throw archiveProblem(error);
}

function problemOf(entry: ZipEntry, name: string): string | null {
  const { uncompressedSize, compressedSize } = entry;
  if (yauzl.validateFileName(name) !== null) return 'The name of a file in the archive leads out of it.';
  if (entry.isEncrypted()) return 'A file in the archive is encrypted.';
  if (!entry.canDecodeFileData()) return 'A file in the archive has an unknown compression.';
  const isBomb = uncompressedSize > smallBytes && uncompressedSize > compressedSize * mostRatio;
  return isBomb ? 'A file in the archive unpacks to too many times its size.' : null;
}

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
}

async function* rangeOf(bytes: FileBytes, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = (await bytes.from(at)).subarray(0, end - at);
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}
