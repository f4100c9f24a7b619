import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type ExportManifest, type ExportType, exportTypes } from '../../contracts/fhir/schemas.ts';
import type { fhir } from '../../contracts/fhir.ts';
import type { ObservedPosition } from '../../contracts/timeseries/observed.ts';
import type { ParamsOf } from '../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts';
import { isError, ServiceError } from '../../domain/errors.ts';
import { longId, readResourceId, resourceId, shortId } from '../../domain/fhir/ids.ts';
import { observationOf } from '../../domain/fhir/observation.ts';
import { patientOf } from '../../domain/fhir/patient.ts';
import { dayMs, formatInstant } from '../../domain/time/time.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import type { Call, Meta } from '../../runtime/environment.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { changesSince } from './observations.ts';
import { devicesOf } from './resources.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly meta: Meta;
}

/** How long the files of an export may be downloaded. */
const keptMs = dayMs;
/** Exports of a project beyond these end early. */
const mostKept = 100;

interface ExportRequest {
  readonly user_id: string | null;
  readonly _type?: readonly ExportType[] | undefined;
  readonly _since?: { readonly ms: number } | undefined;
}

/** Starts an export. The answer has the address of its status. */
export async function startExport({ database, meta }: Deps, base: string, request: ExportRequest) {
  const { user_id, _type = exportTypes, _since } = request;
  const id = randomUUID();
  const now = Date.now();
  const row = {
    id,
    project_id: projectOf(meta),
    of_user: user_id !== null,
    types: exportTypes.filter((type) => _type.includes(type)),
    since: _since === undefined ? null : new Date(_since.ms),
    created_at: new Date(now),
    expires_at: new Date(now + keptMs),
  };
  await database.transaction((transaction) => insertExport(transaction, row));
  const name = user_id === null ? shortId(id) : resourceId(user_id, shortId(id));
  return informational(`${base}/export/${name}`);
}

function informational(diagnostics: string) {
  return {
    resourceType: 'OperationOutcome' as const,
    issue: [{ severity: 'information', code: 'informational', diagnostics }],
  };
}

/** What names an export, and the user whom it is of. */
type ExportIdentity = ParamsOf<typeof fhir, 'exportStatus'>;

/** @throws EXPORT_NOT_FOUND (404); USER_NOT_FOUND (404) if its user was deleted */
async function findExport(
  { database, call, meta }: Deps,
  { export_id, user_id }: ExportIdentity,
): Promise<ExportRow> {
  const id = longId(readResourceId(export_id)?.key ?? export_id);
  const row = id === null ? undefined : await selectExport(database, projectOf(meta), id, new Date());
  if (row === undefined || row.of_user !== (user_id !== null)) throw new ServiceError('EXPORT_NOT_FOUND');
  if (user_id !== null) await call('users.get', { user_id });
  return row;
}

/** Users of a file, about. */
const usersPerFile = 1000;
const mostFiles = 1000;

/** The manifest of an export: for each type, files that share the users evenly by their ids. */
export async function exportStatus(
  deps: Deps,
  base: string,
  identity: ExportIdentity,
): Promise<ExportManifest> {
  const { types, since, created_at, expires_at, of_user } = await findExport(deps, identity);
  const users = of_user ? 1 : (await deps.call('users.figures', { project_id: projectOf(deps.meta) })).users;
  const files = Math.min(mostFiles, Math.max(1, Math.ceil(users / usersPerFile)));
  const request = new URLSearchParams({
    _type: types.join(','),
    ...(since === null ? {} : { _since: formatInstant(since.getTime()) }),
  });
  const path = identity.user_id === null ? '$export' : `Patient/${identity.user_id}/$export`;
  return {
    transactionTime: formatInstant(created_at.getTime()),
    request: `${base}/${path}?${request}`,
    requiresAccessToken: true,
    output: types.flatMap((type) =>
      Array.from({ length: files }, (_, index) => {
        const file = `${type}.${index + 1}-of-${files}.ndjson`;
        return { type, url: `${base}/export/${identity.export_id}/${file}` };
      }),
    ),
    error: [],
    extension: { expires: expires_at.toUTCString() },
  };
}

/** @throws EXPORT_NOT_FOUND (404) */
export async function cancelExport(deps: Deps, identity: ExportIdentity) {
  const { id } = await findExport(deps, identity);
  await deleteExport(deps.database, projectOf(deps.meta), id);
  return informational('The export was cancelled.');
}

type FilePart = ParamsOf<typeof fhir, 'exportPart'>;

/** A position in a file: after all of a user, or within the Observations of a user. */
const Position = z.tuple([z.uuid().or(z.literal('')), z.string(), z.number(), z.string()]);
type Position = z.infer<typeof Position>;

/** Users of a part of Patients or Devices. */
const usersPerPart = 50;
const observationsPerPart = 500;

/** The next resources of a file. Users who are deleted, or were created after the export was started, are left out. */
export async function exportPart(deps: Deps, part: FilePart) {
  const row = await findExport(deps, part);
  const { type, first, end } = bounds(part.file);
  if (!row.types.includes(type)) throw new ServiceError('EXPORT_NOT_FOUND');
  const query = ['fhir.export', row.id, part.file];
  const [after, ...within]: Position =
    part.cursor === undefined ? ['', '', 0, ''] : decodeCursor(part.cursor, query, Position).key;
  const isWithin = within[0] !== '';
  const count = type === 'Observation' ? 1 : usersPerPart;
  const ids = isWithin ? [after] : await nextUsers(deps, part, after === '' ? before(first) : after, count);
  const wanted = ids.filter((id) => end === null || id < end);
  const read = await readUsers(deps, { row, type, ids: wanted, position: isWithin ? within : null });
  const last = wanted.at(-1);
  const isDone = last === undefined || part.user_id !== null || wanted.length < count;
  const next =
    read.next !== null && last !== undefined ? [last, ...read.next] : isDone ? null : [last, '', 0, ''];
  return { ...read, next: next === null ? null : encodeCursor(query, 'next', next) };
}

function bounds(file: string): { type: ExportType; first: number; end: string | null } {
  const [, type, index, count] = /^(\w+)\.(\d+)-of-(\d+)/.exec(file) ?? [];
  const fileNumber = Number(index);
  const fileCount = Number(count);
  const kind = z.enum(['Patient', 'Device', 'Observation']).safeParse(type);
  if (!kind.success || !(fileNumber >= 1 && fileNumber <= fileCount))
    throw new ServiceError('EXPORT_NOT_FOUND');
  return {
    type: kind.data,
    first: fileNumber === 1 ? 0 : share(fileNumber - 1, fileCount),
    end: fileNumber === fileCount ? null : idAt(share(fileNumber, fileCount)),
  };
}

// Ids are random (version 4), so that equal shares of their first 32 bits have about as many users.
const share = (index: number, count: number) => Math.floor((index * 2 ** 32) / count);
const idAt = (bits: number) => `${bits.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
const before = (bits: number) =>
  bits === 0 ? null : `${(bits - 1).toString(16).padStart(8, '0')}-ffff-4fff-bfff-ffffffffffff`;

async function nextUsers({ call, meta }: Deps, { user_id }: FilePart, after: string | null, limit: number) {
  if (user_id !== null) return [user_id];
  const { users } = await call('users.inProject', { project_id: projectOf(meta), after, limit });
  return users;
}

interface Reading {
  readonly row: ExportRow;
  readonly type: ExportType;
  readonly ids: readonly string[];
  readonly position: ObservedPosition | null;
}

interface ReadPart {
  readonly resources: { resourceType: ExportType; [name: string]: unknown }[];
  readonly user_ids: string[];
  readonly next: ObservedPosition | null;
}

async function readUsers({ call }: Deps, { row, type, ids, position }: Reading): Promise<ReadPart> {
  const readOrNull = await Promise.all(ids.map((id) => call('users.get', { user_id: id }).catch(noUser)));
  const users = readOrNull.flatMap((user) =>
    user !== null && Date.parse(user.created_at) <= row.created_at.getTime() ? [user] : [],
  );
  const user_ids = users.map(({ id }) => id);
  if (type === 'Patient') return { resources: users.map(patientOf), user_ids, next: null };
  if (type === 'Device') {
    const devices = await Promise.all(user_ids.map((id) => devicesOf(call, id)));
    return { resources: devices.flat(), user_ids, next: null };
  }
  const [userId] = user_ids;
  if (userId === undefined) return { resources: [], user_ids, next: null };
  return { ...(await readObservations(call, row, userId, position)), user_ids };
}

function noUser(error: unknown): null {
  if (isError(error, 'USER_NOT_FOUND') || isError(error, 'USER_ERASED')) return null;
  throw error;
}

async function readObservations(
  call: Call,
  { since }: ExportRow,
  user_id: string,
  after: ObservedPosition | null,
) {
  const query = { user_id, names: null, first_date: null, last_date: null, order: 'asc', after } as const;
  const { items, next } = await call('timeseries.observed', { ...query, limit: observationsPerPart });
  const mayHaveChanged = since === null ? () => true : await changesSince(call, user_id, since.getTime());
  return { resources: items.filter(mayHaveChanged).map((item) => observationOf(user_id, item)), next };
}

/** An export. */
interface ExportRow {
  id: string;
  of_user: boolean;
  types: ExportType[];
  since: Date | null;
  created_at: Date;
  expires_at: Date;
}

/** An export that is started. */
interface NewExport extends ExportRow {
  project_id: string;
}

const columns = 'id, of_user, types, since, created_at, expires_at';

/** Inserts an export. Deletes those that have expired, and those of the project beyond the newest. */
async function insertExport(transaction: Queryable, newExport: NewExport): Promise<void> {
  await transaction.query('delete from fhir.export where expires_at <= $1', [newExport.created_at]);
  await transaction.query(
    `insert into fhir.export (${columns}, project_id) values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      newExport.id,
      newExport.of_user,
      newExport.types,
      newExport.since,
      newExport.created_at,
      newExport.expires_at,
      newExport.project_id,
    ],
  );
  await transaction.query(
    `delete from fhir.export where id in (
       select id from fhir.export where project_id = $1 order by created_at desc, id offset $2)`,
    [newExport.project_id, mostKept],
  );
}

/** An export of a project that has not expired. */
async function selectExport(
  database: Queryable,
  projectId: string,
  id: string,
  now: Date,
): Promise<ExportRow | undefined> {
  const [row] = await database.query<ExportRow>(
    `select ${columns} from fhir.export where id = $1 and project_id = $2 and expires_at > $3`,
    [id, projectId, now],
  );
  return row;
}

/** Deletes an export of a project. False: there is none. */
async function deleteExport(database: Queryable, projectId: string, id: string): Promise<boolean> {
  const statement = 'delete from fhir.export where id = $1 and project_id = $2 returning id';
  return (await database.query(statement, [id, projectId])).length > 0;
}

/** Deletes the exports of a project. Returns how many there were. */
export async function deleteExportsOf(database: Queryable, projectId: string): Promise<number> {
  return (await database.query('delete from fhir.export where project_id = $1 returning id', [projectId]))
    .length;
}
