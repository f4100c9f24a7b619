import { randomUUID } from 'node:crypto';
import { type ExportManifest, type ExportType, exportTypes } from '../../contracts/fhir/schemas.ts';
import { ServiceError } from '../../domain/errors.ts';
import { longId, readResourceId, resourceId, shortId } from '../../domain/fhir/ids.ts';
import { dayMs, formatInstant } from '../../domain/time/time.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { Call, Meta } from '../../runtime/environment.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { deleteExport, type ExportRow, insertExport, selectExport } from './queries/exports.ts';

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly meta: Meta;
}

/** How long the files of an export may be downloaded. */
const keptMs = dayMs;
/** Exports of a project beyond these end early. */
const mostKept = 100;

interface Request {
  readonly user_id: string | null;
  readonly _type?: readonly ExportType[] | undefined;
  readonly _since?: { readonly ms: number } | undefined;
}

/** Starts an export. The answer has the address of its status. */
export async function startExport({ database, meta }: Deps, base: string, request: Request) {
  const { user_id, _type = exportTypes, _since } = request;
  const [id, now] = [randomUUID(), Date.now()];
  const row = {
    ...{ id, project_id: projectOf(meta), of_user: user_id !== null },
    types: exportTypes.filter((type) => _type.includes(type)),
    since: _since === undefined ? null : new Date(_since.ms),
    ...{ created_at: new Date(now), expires_at: new Date(now + keptMs) },
  };
  await database.transaction((transaction) => insertExport(transaction, row, mostKept));
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
export interface NamedExport {
  readonly export_id: string;
  readonly user_id: string | null;
}

/** @throws EXPORT_NOT_FOUND (404); USER_NOT_FOUND (404) if its user was deleted */
export async function findExport(
  { database, call, meta }: Deps,
  { export_id, user_id }: NamedExport,
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
export async function exportStatus(deps: Deps, base: string, named: NamedExport): Promise<ExportManifest> {
  const { types, since, created_at, expires_at, of_user } = await findExport(deps, named);
  const users = of_user ? 1 : (await deps.call('users.figures', { project_id: projectOf(deps.meta) })).users;
  const files = Math.min(mostFiles, Math.max(1, Math.ceil(users / usersPerFile)));
  const request = new URLSearchParams({
    _type: types.join(','),
    ...(since === null ? {} : { _since: formatInstant(since.getTime()) }),
  });
  const path = named.user_id === null ? '$export' : `Patient/${named.user_id}/$export`;
  return {
    transactionTime: formatInstant(created_at.getTime()),
    request: `${base}/${path}?${request}`,
    requiresAccessToken: true,
    output: types.flatMap((type) =>
      Array.from({ length: files }, (_, index) => {
        const file = `${type}.${index + 1}-of-${files}.ndjson`;
        return { type, url: `${base}/export/${named.export_id}/${file}` };
      }),
    ),
    error: [],
    extension: { expires: expires_at.toUTCString() },
  };
}

/** @throws EXPORT_NOT_FOUND (404) */
export async function cancelExport(deps: Deps, named: NamedExport) {
  const { id } = await findExport(deps, named);
  await deleteExport(deps.database, projectOf(deps.meta), id);
  return informational('The export was cancelled.');
}
