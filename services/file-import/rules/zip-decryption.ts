import type { Entry as ZipEntry } from 'yauzl';
import { fieldOf } from '../../../domain/error-code.ts';
import { archiveProblem, BytesUnavailable, type FileBytes, FileProblem } from './file-bytes.ts';

// yauzl decrypts nothing, and the library that does takes 5 kB of memory for each file of an archive. So it gets each encrypted file
// as an archive of its own: the bytes of the file, and a directory that lists only this file.

const localHeaderBytes = 30;
const largest = 0xffffffff;

/** The content of an encrypted file of an archive (AES or ZipCrypto). @throws FileProblem without its password */
export async function decrypted(
  bytes: FileBytes,
  entry: ZipEntry,
  password: string | null,
): Promise<AsyncIterable<Buffer>> {
  if (password === null) throw new FileProblem('The archive is encrypted, and no password was sent with it.');
  const { Reader, ZipReader, configure } = await import('@zip.js/zip.js'); // other archives are read without it
  configure({ useWebWorkers: false });
  const archive = await archiveOfOne(bytes, entry);
  let unavailable: BytesUnavailable | null = null;
  class ArchiveReader extends Reader<null> {
    constructor() {
      super(null);
      this.size = archive.length;
    }

    override async readUint8Array(at: number, length: number): Promise<Uint8Array> {
      try {
        return await archive.read(at, length);
      } catch (error) {
        if (error instanceof BytesUnavailable) unavailable = error;
        throw error;
      }
    }
  }
  const problemFor = (error: unknown) => {
    if (unavailable !== null) return unavailable;
    const isRefused = fieldOf(error, 'message') === 'Invalid password';
    return isRefused ? new FileProblem('The password of the archive is wrong.') : archiveProblem(error);
  };
  try {
    const [only] = await new ZipReader(new ArchiveReader()).getEntries({ strictness: 'tolerant' });
    if (only === undefined || only.directory) throw new FileProblem('The archive is cut off or damaged.');
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const options = { password, checkCrc32: true, checkAuthenticationCode: true };
    const whole = only.getData(writable, options);
    whole.catch((error: unknown) => writable.abort(error).catch(() => undefined));
    const chunks = contentOf(readable, whole, problemFor);
    return await begun(chunks);
  } catch (error) {
    throw problemFor(error);
  }
}

async function* contentOf(
  readable: ReadableStream<Uint8Array>,
  whole: Promise<unknown>,
  problemFor: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of readable) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    await whole;
  } catch (error) {
    throw problemFor(error);
  }
}

// A wrong password shows with the first bytes.
async function begun(chunks: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  const first = await chunks.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
}

async function archiveOfOne(bytes: FileBytes, entry: ZipEntry) {
  const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize } = entry;
  if (compressedSize >= largest || uncompressedSize >= largest)
    throw new FileProblem('An encrypted file of an archive has at most 4 GiB.');
  const header = await read(bytes, start, localHeaderBytes);
  if (header.length < localHeaderBytes) throw new FileProblem('The archive is cut off or damaged.');
  const dataBytes =
    localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28) + entry.compressedSize;
  const directory = directoryOf(entry, dataBytes);
  return {
    length: dataBytes + directory.length,
    async read(at: number, length: number): Promise<Buffer> {
      const end = Math.min(at + length, dataBytes + directory.length);
      const ofFile = at < dataBytes ? await read(bytes, start + at, Math.min(end, dataBytes) - at) : null;
      const ofDirectory = directory.subarray(Math.max(0, at - dataBytes), Math.max(0, end - dataBytes));
      return ofFile === null ? ofDirectory : Buffer.concat([ofFile, ofDirectory]);
    },
  };
}

async function read(bytes: FileBytes, start: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let at = start; at < start + length; ) {
    const part = (await bytes.from(at)).subarray(0, start + length - at);
    if (part.length === 0) break;
    at += part.length;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A directory that lists a file at the beginning of an archive, and the end of the archive. */
function directoryOf(entry: ZipEntry, position: number): Buffer {
  const { fileNameRaw, extraFieldRaw } = entry;
  const record = Buffer.alloc(46);
  record.write('PK\x01\x02', 'latin1');
  record.writeUInt16LE(entry.versionMadeBy, 4);
  record.writeUInt16LE(entry.versionNeededToExtract, 6);
  record.writeUInt16LE(entry.generalPurposeBitFlag, 8);
  record.writeUInt16LE(entry.compressionMethod, 10);
  record.writeUInt16LE(entry.lastModFileTime, 12);
  record.writeUInt16LE(entry.lastModFileDate, 14);
  record.writeUInt32LE(entry.crc32, 16);
  record.writeUInt32LE(entry.compressedSize, 20);
  record.writeUInt32LE(entry.uncompressedSize, 24);
  record.writeUInt16LE(fileNameRaw.length, 28);
  record.writeUInt16LE(extraFieldRaw.length, 30);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(record.length + fileNameRaw.length + extraFieldRaw.length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([record, fileNameRaw, extraFieldRaw, end]);
}
