import { z } from 'zod';
import type { ExportType } from '../../contracts/fhir/schemas.ts';
import type { ObservedPosition } from '../../contracts/timeseries/observed.ts';
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts';
import { isError, ServiceError } from '../../domain/errors.ts';
import { observationOf } from '../../domain/fhir/observation.ts';
import { patientOf } from '../../domain/fhir/patient.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { Call, Meta } from '../../runtime/environment.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { changesSince } from './changed.ts';
import { findExport, type NamedExport } from './exports.ts';
import type { ExportRow } from './queries/exports.ts';
import { devicesOf } from './resources.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly meta: Meta;
}

interface Part extends NamedExport {
  readonly file: string;
  readonly cursor?: string | undefined;
}

/** A position in a file: after all of a user, or within the Observations of a user. */
const Position = z.tuple([z.uuid().or(z.literal('')), z.string(), z.number(), z.string()]);
type Position = z.infer<typeof Position>;

/** Users of a part of Patients or Devices. */
const usersPerPart = 50;
const observationsPerPart = 500;

/** The next resources of a file. Users who are deleted, or were created after the export was started, are left out. */
export async function exportPart(deps: Deps, part: Part) {
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
  const [own, all] = [Number(index), Number(count)];
  const kind = z.enum(['Patient', 'Device', 'Observation']).safeParse(type);
  if (!kind.success || !(own >= 1 && own <= all)) throw new ServiceError('EXPORT_NOT_FOUND');
  return {
    type: kind.data,
    first: own === 1 ? 0 : share(own - 1, all),
    end: own === all ? null : idAt(share(own, all)),
  };
}

// Ids are random (version 4), so that equal shares of their first 32 bits have about as many users.
const share = (index: number, count: number) => Math.floor((index * 2 ** 32) / count);
const idAt = (bits: number) => `${bits.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
const before = (bits: number) =>
  bits === 0 ? null : `${(bits - 1).toString(16).padStart(8, '0')}-ffff-4fff-bfff-ffffffffffff`;

async function nextUsers({ call, meta }: Deps, { user_id }: Part, after: string | null, limit: number) {
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
  const found = await Promise.all(ids.map((id) => call('users.get', { user_id: id }).catch(noUser)));
  const users = found.flatMap((user) =>
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
