import { z } from 'zod';
import type { fhir } from '../../contracts/fhir.ts';
import type { User } from '../../contracts/users/schemas.ts';
import type { ParamsOf } from '../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts';
import { isError, recordNotFound } from '../../domain/errors.ts';
import { searchset } from '../../domain/fhir/bundle.ts';
import { externalUserIdSystem } from '../../domain/fhir/coding.ts';
import { deviceOf } from '../../domain/fhir/device.ts';
import { readResourceId } from '../../domain/fhir/ids.ts';
import { observationOf } from '../../domain/fhir/observation.ts';
import { patientOf } from '../../domain/fhir/patient.ts';
import type { Call } from '../../runtime/environment.ts';

type PatientSearch = ParamsOf<typeof fhir, 'patients'>;

/** The Patients of a search, oldest first. */
export async function searchPatients({ call }: { readonly call: Call }, base: string, search: PatientSearch) {
  const { _id, identifier, _count: limit } = search;
  const params = {
    ...(_id === undefined ? {} : { _id: [_id] }),
    ...(identifier === undefined ? {} : { identifier: [identifier] }),
    _count: [String(limit)],
  };
  const page = await findUsers(call, search);
  const resources = page.users.map(patientOf);
  return searchset({ base, type: 'Patient', params, next: page.next, total: page.total, resources });
}

const Page = z.tuple([z.int().min(2)]);

async function findUsers(call: Call, { user_id, identifier, _count: limit, _cursor }: PatientSearch) {
  const external = identifier === undefined ? null : externalIdOf(identifier);
  if (external === '') return { users: [], total: 0, next: null };
  if (user_id !== undefined) {
    const user = await call('users.get', { user_id }).catch(noUser);
    const users = user !== null && (external === null || user.external_user_id === external) ? [user] : [];
    return { users, total: users.length, next: null };
  }
  const query = ['fhir.patients', limit, external];
  const page = _cursor === undefined ? 1 : decodeCursor(_cursor, query, Page).key[0];
  const { items, total, pages } = await call('users.list', {
    page,
    limit,
    sort_by: 'created_at',
    sort_order: 'asc',
    ...(external === null ? {} : { external_user_id: external }),
  });
  return { users: items, total, next: page < pages ? encodeCursor(query, 'next', [page + 1]) : null };
}

/** The value of a token; empty if its system is not that of external ids. */
function externalIdOf(identifier: string): string {
  const at = identifier.indexOf('|');
  const system = identifier.slice(0, Math.max(at, 0));
  const value = identifier.slice(at + 1);
  return at === -1 || system === '' || system === externalUserIdSystem ? value : '';
}

function noUser(error: unknown): null {
  if (isError(error, 'USER_NOT_FOUND')) return null;
  throw error;
}

/** @throws USER_NOT_FOUND (404), USER_ERASED (410) */
export async function readPatient(call: Call, userId: string) {
  const user: User = await call('users.get', { user_id: userId });
  return patientOf(user);
}

/** All Devices of a user. */
export async function searchDevices(call: Call, base: string, { user_id }: { readonly user_id: string }) {
  const resources = await devicesOf(call, user_id);
  if (resources.length === 0) await call('users.get', { user_id });
  const params = { patient: [user_id] };
  return searchset({ base, type: 'Device', params, next: null, total: resources.length, resources });
}

/** The Devices of a user, by their ids. */
export async function devicesOf(call: Call, userId: string) {
  const sources = await call('timeseries.observedSources', { user_id: userId });
  return sources.map((source) => deviceOf(userId, source)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** @throws RECORD_NOT_FOUND (404) */
export async function readDevice(
  call: Call,
  { user_id, device_id }: { readonly user_id: string | null; readonly device_id: string },
) {
  const devices = user_id === null ? [] : await devicesOf(call, user_id);
  const device = devices.find(({ id }) => id === device_id);
  if (device === undefined) throw recordNotFound(device_id);
  return device;
}

/** @throws RECORD_NOT_FOUND (404) */
export async function readObservation(
  call: Call,
  { user_id, observation_id }: { readonly user_id: string | null; readonly observation_id: string },
) {
  const key = readResourceId(observation_id)?.key ?? '';
  const observed =
    user_id === null || key.length > longestKey
      ? null
      : await call('timeseries.observedItem', { user_id, key });
  if (observed === null || user_id === null) throw recordNotFound(observation_id);
  return observationOf(user_id, observed);
}

const longestKey = 60;
