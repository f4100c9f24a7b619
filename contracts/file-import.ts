import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';
import { filePartBytes } from '../domain/file-part.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';
import { Backfill } from './backfill.ts';
import { onConnectionEnded, onConnectionPurged, onUserErased } from './lifecycle.ts';

const ofUser = z.object({ user_id: UserId });
const ImportId = z.uuid('must be a UUID').describe('The `id` of an import.');
const one = ofUser.extend({ import_id: ImportId });
const path = '/users/:user_id/imports' as const;
const tag = 'Imports';

/** The largest file. */
export const mostFileBytes = 2 * 1024 * 1024 * 1024;

/** What is known of the kinds of files. */
export const fileKinds = ['apple_health', 'fit', 'tcx', 'gpx', 'csv'] as const;

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

/** An import of a file. */
export const FileImport = z
  .object({
    id: z.string(),
    user_id: z.string(),
    state: z
      .enum(['receiving', 'waiting', 'reading', 'done', 'failed', 'cancelled'])
      .describe(
        '`receiving`: the file arrives; `waiting`, `reading`: its data is stored; the others are final.',
      ),
    name: z.string().nullable(),
    kind: z.enum(fileKinds).nullable().describe('Null until it is recognised by the content.'),
    bytes: z.int(),
    bytes_read: z.int().describe('The progress, as a part of `bytes`.'),
    items: z.int().describe('Entries that were read.'),
    counts: z.record(z.string(), z.int()).describe('Stored entries by type.'),
    skipped: z.array(Skipped),
    start_time: Timestamp.nullable(),
    end_time: Timestamp.nullable(),
    error: z.string().nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'FileImport', description: 'The import of a file.' });
export type FileImport = z.infer<typeof FileImport>;

/** Files with health data of a user. */
export const fileImport = contract('file-import', {
  create: action({
    summary: 'Import a file of health data',
    description:
      'Takes an export of Apple Health (zip or XML), a FIT, TCX or GPX file, or a CSV table, as the part `file` of a form or as the whole body, up to 2 GiB. It is read in the background. The same file again changes nothing.',
    params: one.extend({
      name: Text.max(200).nullable(),
      bytes: z.int().min(1, 'is empty').max(mostFileBytes),
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
    returns: FileImport,
    http: { method: 'GET', path: `${path}/:import_id`, access: 'imports.read', tag },
  }),
  cancel: action({
    summary: 'Cancel an import',
    description: 'What was stored stays.',
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
