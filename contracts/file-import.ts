import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { filePartBytes } from '../domain/file-part.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';
import { archiveNames } from '../providers/file/archives.ts';
import { documentNames } from '../providers/file/documents.ts';
import { Backfill } from './backfill.ts';
import { onConnectionEnded, onConnectionPurged, onUserErased } from './lifecycle.ts';

const ofUser = z.object({ user_id: UserId });
const ImportId = z.uuid('must be a UUID').describe('The `id` of an import.');
const one = ofUser.extend({ import_id: ImportId });
const path = '/users/:user_id/imports' as const;
const tag = 'Imports';

/** The largest file. */
export const mostFileBytes = 16 * 1024 * 1024 * 1024;

const mostPasswordChars = 1000;

/** What is known of the kinds of files. */
export const fileKinds = [
  'apple_health',
  'fit',
  'tcx',
  'gpx',
  'csv',
  ...archiveNames,
  ...documentNames,
] as const;

const Skipped = z
  .object({
    type: z.string(),
    reason: z.string(),
    items: z.int(),
    positions: z
      .array(z.int())
      .describe(
        'Where the first ten are: the line of a table, and of other files the number of the entry. Empty if it is about the file as a whole.',
      ),
  })
  .meta({ id: 'SkippedItems', description: 'Entries that were not stored.' });

const MembersRead = z
  .object({
    total: z.int(),
    done: z.int(),
    damaged: z
      .int()
      .describe('What stands before the damage is stored. Includes those of archives within the archive.'),
    unread: z.int().describe('Members of kinds that are not read.'),
  })
  .meta({ id: 'ImportMembers', description: 'The members of an archive; null for a file that is none.' });

const State = z
  .enum(['receiving', 'waiting', 'reading', 'done', 'failed', 'cancelled'])
  .describe('`receiving`: the file arrives; `waiting`, `reading`: its data is stored; the others are final.')
  .meta({ id: 'ImportState' });
const Kind = z.enum(fileKinds).meta({ id: 'FileKind' });

/** An import of a file. */
export const FileImport = z
  .object({
    id: z.string(),
    user_id: z.string(),
    state: State,
    name: z.string().nullable(),
    kind: Kind.nullable().describe('Null until it is recognised by the content.'),
    bytes: z.int(),
    bytes_read: z.int().describe('The progress, as a part of `bytes`.'),
    items: z.int().describe('Entries that were read.'),
    members: MembersRead.nullable(),
    counts: z.record(z.string(), z.int()).describe('Stored entries by type.'),
    skipped: z.array(Skipped),
    start_time: Timestamp.nullable(),
    end_time: Timestamp.nullable(),
    error: z.string().nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
    original_until: Timestamp.nullable().describe(
      'Until when the original is kept; null if it is not, and before the import ends.',
    ),
  })
  .meta({ id: 'FileImport', description: 'The import of a file.' });
export type FileImport = z.infer<typeof FileImport>;

const MemberReport = z
  .object({
    name: z.string(),
    state: z.enum(['read', 'damaged', 'unread']),
    entries: z.int(),
    reason: z.string().nullable().describe('Why it was not read to its end, or its first entry was skipped.'),
  })
  .meta({ id: 'ImportMember', description: 'What became of a member of an archive.' });

/** An import with what became of the members of its archive. */
export const FileImportReport = FileImport.extend({
  member_reports: z.array(MemberReport).describe('The first 1,000 members that were read or refused.'),
}).meta({ id: 'FileImportReport', description: 'The import of a file, with the members of an archive.' });
export type FileImportReport = z.infer<typeof FileImportReport>;

/** Files with health data of a user. */
export const fileImport = contract('file-import', {
  create: action({
    summary: 'Import a file of health data',
    description:
      'Takes an export of Apple Health (zip or XML), a FIT, TCX or GPX file, a CSV table, or an archive of such files or of an account, also compressed by gzip, as the part `file` of a form or as the whole body, up to 16 GiB. The password of an encrypted archive is the part `password`, or the header `X-File-Password` beside a whole body; it is kept encrypted until the file is read. The file is read in the background. The same file again changes nothing.',
    params: one.extend({
      name: Text.max(200).nullable(),
      bytes: z.int().min(1, 'is empty').max(mostFileBytes),
      password: z.string().min(1).max(mostPasswordChars).nullable(),
    }),
    returns: FileImport,
    http: {
      method: 'POST',
      path,
      access: 'data.upload',
      status: 202,
      tag,
      file: { opens: 'file-import.open', takes: 'file-import.append', drops: 'file-import.drop' },
      bodyLimitBytes: mostFileBytes,
      audit: 'import.created',
      failures: ['USER_NOT_FOUND', 'IMPORTS_OPEN'],
    },
    timeoutMs: 15_000,
  }),
  /**
   * Admits a file of a user. @throws USER_NOT_FOUND (404), IMPORTS_OPEN (409), SERVICE_UNAVAILABLE (503) if the disk has no
   * room for it
   */
  open: action({
    summary: 'Begin an import',
    params: ofUser.extend({ bytes: z.int().nonnegative() }),
    returns: z.object({ import_id: z.string() }),
    timeoutMs: 15_000,
  }),
  /** Stores a part of a file that arrives. @throws IMPORT_NOT_FOUND (404) if it was cancelled or erased meanwhile */
  append: action({
    summary: 'Store a part of a file',
    params: one.extend({
      part: z.int().nonnegative(),
      bytes: z.base64().max(Math.ceil(filePartBytes / 3) * 4),
    }),
    returns: z.object({ stored: z.literal(true) }),
    idempotent: true,
    timeoutMs: 15_000,
  }),
  /** Deletes a file that did not arrive whole. */
  drop: action({
    summary: 'Delete an import whose file did not arrive',
    params: one,
    returns: z.object({ dropped: z.boolean() }),
    idempotent: true,
  }),
  list: action({
    summary: 'List the imports of a user',
    params: ofUser,
    returns: z.array(FileImport),
    http: { method: 'GET', path, access: 'imports.read', tag },
  }),
  get: action({
    summary: 'Get the state of an import',
    params: one,
    returns: FileImportReport,
    http: { method: 'GET', path: `${path}/:import_id`, access: 'imports.read', tag },
  }),
  original: action({
    summary: 'Download the original of an import',
    description:
      'The bytes as they were uploaded, under their name: while they are read, and until `original_until`. An original that is not kept is answered 410. A download that fails is cut off, so that the HTTP client reports an error.',
    params: one,
    returns: z.object({ name: z.string().nullable(), bytes: z.int() }),
    http: {
      method: 'GET',
      path: `${path}/:import_id/file`,
      access: 'data.export',
      reads: 'export',
      tag,
      stream: ['bytes'],
      audit: 'user.exported',
      failures: ['IMPORT_ORIGINAL_DELETED'],
    },
  }),
  /** A part of an original, by its number. @throws IMPORT_NOT_FOUND (404), IMPORT_ORIGINAL_DELETED (410) */
  originalPart: action({
    summary: 'Read a part of the original of an import',
    params: one.extend({ part: z.int().nonnegative() }),
    returns: z.object({ bytes: z.base64() }),
    idempotent: true,
    timeoutMs: 15_000,
  }),
  cancel: action({
    summary: 'Cancel an import',
    description: 'What was stored stays. The original of an import that has ended is deleted.',
    params: one,
    returns: FileImport,
    http: {
      method: 'DELETE',
      path: `${path}/:import_id`,
      access: 'data.upload',
      tag,
      audit: 'import.cancelled',
    },
  }),
  /** The newest import as a backfill. @throws BACKFILL_NOT_FOUND (404) before the first */
  backfillStatus: action({
    summary: 'Get the progress of the newest import',
    params: ofUser,
    returns: Backfill,
    idempotent: true,
  }),
  stopConnection: onConnectionEnded('Cancel the imports of a connection that ended', ['file']),
  purge: onConnectionPurged('Erase the imports of a user whose connection is purged', ['file']),
  forgetUser: onUserErased('Erase the imports of a deleted user'),
});
