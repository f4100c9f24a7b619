import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../../config.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { filePartBytes } from '../../../domain/file-part.ts';
import { bodyCipherOf } from '../../../mixins/inbox/body-cipher.ts';
import type { Keep } from '../rules/content.ts';
import { BytesUnavailable, type FileBytes } from '../rules/file-bytes.ts';

/** The settings of the folder. */
export type FolderSettings = Pick<Config, 'DATA_DIR' | 'ENCRYPTION_KEY' | 'IMPORT_DIR'>;

/** Settings of the folder, and of the space that stays free on its disk. */
export type KeptFilesSettings = FolderSettings & Pick<Config, 'DISK_RESERVE_MIB'>;

/** The number of a part of the file, or of an archive in it by its level. */
type Part = number | `archive-${number}-${number}`;

/** The files that are imported: a folder for each, with its parts, which are compressed and encrypted on their own. */
export interface FileFolder {
  /** Stores a part in place of what was there. */
  write(id: string, part: Part, bytes: Buffer): Promise<void>;
  /** A part as it arrived. @throws if it is not there, or no configured secret decrypts it */
  read(id: string, part: Part): Promise<Buffer>;
  /** Keeps the password of an archive beside its parts, encrypted as they are. */
  writePassword(id: string, password: string): Promise<void>;
  /** Null if none was sent. @throws BytesUnavailable if no configured secret decrypts it */
  readPassword(id: string): Promise<string | null>;
  remove(id: string): Promise<void>;
  /** Removes what lies beside the parts of the file: its password, and archives within it. */
  removeAllButParts(id: string): Promise<void>;
  /** The ids of all files. Other entries of the folder are ignored. */
  ids(): Promise<string[]>;
  freeBytes(): Promise<number>;
}

const ownerOnly = { folder: 0o700, file: 0o600 };
const keyIdBytes = 8;
const password = 'password';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The folder that IMPORT_DIR names. */
export function fileFolder(settings: FolderSettings): FileFolder {
  const root = resolve(settings.IMPORT_DIR ?? join(settings.DATA_DIR, 'imports'));
  const cipher = () => bodyCipherOf(settings);
  const folderOf = (id: string) => join(root, id);
  const fileOf = (id: string, part: Part | typeof password) => join(folderOf(id), String(part));
  const boundTo = (id: string, part: Part | typeof password) => `import ${id} ${part}`;
  const ensure = (path: string) => mkdir(path, { recursive: true, mode: ownerOnly.folder });
  const write = async (id: string, part: Part | typeof password, bytes: Buffer) => {
    const { key_id, sealed } = await cipher().encrypt(bytes, boundTo(id, part));
    await ensure(folderOf(id));
    const path = fileOf(id, part);
    await writeFile(`${path}.new`, Buffer.concat([Buffer.from(key_id), sealed]), { mode: ownerOnly.file });
    await rename(`${path}.new`, path);
  };
  const read = async (id: string, part: Part | typeof password) => {
    const sealedPart = await readFile(fileOf(id, part));
    const key_id = sealedPart.toString('latin1', 0, keyIdBytes);
    return cipher().decrypt({ key_id, sealed: sealedPart.subarray(keyIdBytes) }, boundTo(id, part));
  };
  return {
    write,
    read,
    writePassword: (id, text) => write(id, password, Buffer.from(text)),
    async readPassword(id) {
      try {
        return (await read(id, password)).toString();
      } catch (error) {
        if (isAbsent(error)) return null;
        throwUnavailable(error);
      }
    },
    remove: (id) => rm(folderOf(id), { recursive: true, force: true }),
    async removeAllButParts(id) {
      for (const name of await readdir(folderOf(id)).catch(noneIfAbsent))
        if (!/^\d+$/.test(name)) await rm(join(folderOf(id), name), { force: true });
    },
    async ids() {
      await ensure(root);
      const entries = await readdir(root, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory() && uuid.test(entry.name)).map(({ name }) => name);
    },
    async freeBytes() {
      await ensure(root);
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
  };
}

/** The bytes of a stored file. */
export function fileBytes(folder: Pick<FileFolder, 'read'>, id: string, length: number): FileBytes {
  return partBytes(length, (part) => folder.read(id, part));
}

// The last part is kept: a reader asks for the same one again and again.
function partBytes(length: number, read: (part: number) => Promise<Buffer>): FileBytes {
  let last: { readonly part: number; readonly bytes: Promise<Buffer> } | null = null;
  return {
    length,
    async from(position) {
      if (position >= length) return Buffer.alloc(0);
      const part = Math.floor(position / filePartBytes);
      if (last?.part !== part) last = { part, bytes: read(part).catch(throwUnavailable) };
      return (await last.bytes).subarray(position - part * filePartBytes);
    },
  };
}

const mebibyte = 1024 * 1024;
const partsPerLook = 32;

/** Keeps archives within archives beside the parts of their file. One of the same level replaces the one before. */
export function keepInFolder(
  folder: Pick<FileFolder, 'read' | 'write' | 'freeBytes'>,
  { DISK_RESERVE_MIB }: Pick<KeptFilesSettings, 'DISK_RESERVE_MIB'>,
  id: string,
): Keep {
  return async (chunks, level) => {
    const named = (part: number) => `archive-${level}-${part}` as const;
    let [length, part] = [0, 0];
    let pending: Buffer[] = [];
    const writePending = async () => {
      if (part % partsPerLook === 0 && (await folder.freeBytes()) < 2 * DISK_RESERVE_MIB * mebibyte)
        throw new BytesUnavailable('The disk has no room for an archive within the file.');
      await folder.write(id, named(part), Buffer.concat(pending));
      pending = [];
      part += 1;
    };
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const room = filePartBytes - (length % filePartBytes);
        const taken = chunk.subarray(at, at + room);
        pending.push(taken);
        at += taken.length;
        length += taken.length;
        if (length % filePartBytes === 0) await writePending();
      }
    }
    if (pending.length > 0) await writePending();
    return partBytes(length, (number) => folder.read(id, named(number)));
  };
}

/** Whether a file or a folder is not there. */
export const isAbsent = (error: unknown) => fieldOf(error, 'code') === 'ENOENT';

function noneIfAbsent(error: unknown): string[] {
  if (isAbsent(error)) return [];
  throw error;
}

function throwUnavailable(cause: unknown): never {
  throw new BytesUnavailable('The stored file cannot be read.', { cause });
}
