import type { ExportType } from '../../../contracts/fhir/schemas.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** An export. */
export interface ExportRow {
  id: string;
  of_user: boolean;
  types: ExportType[];
  since: Date | null;
  created_at: Date;
  expires_at: Date;
}

/** An export that is started. */
export interface NewExport extends ExportRow {
  project_id: string;
}

const columns = 'id, of_user, types, since, created_at, expires_at';

/** Inserts an export. Deletes those that have expired, and those of the project beyond the newest. */
export async function insertExport(transaction: Queryable, one: NewExport, mostKept: number): Promise<void> {
  await transaction.query('delete from fhir.export where expires_at <= $1', [one.created_at]);
  await transaction.query(
    `insert into fhir.export (${columns}, project_id) values ($1, $2, $3, $4, $5, $6, $7)`,
    [one.id, one.of_user, one.types, one.since, one.created_at, one.expires_at, one.project_id],
  );
  await transaction.query(
    `delete from fhir.export where id in (
       select id from fhir.export where project_id = $1 order by created_at desc, id offset $2)`,
    [one.project_id, mostKept],
  );
}

/** An export of a project that has not expired. */
export async function selectExport(
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
export async function deleteExport(database: Queryable, projectId: string, id: string): Promise<boolean> {
  const deleted = 'delete from fhir.export where id = $1 and project_id = $2 returning id';
  return (await database.query(deleted, [id, projectId])).length > 0;
}

/** Deletes the exports of a project. Returns how many there were. */
export async function deleteExportsOf(database: Queryable, projectId: string): Promise<number> {
  return (await database.query('delete from fhir.export where project_id = $1 returning id', [projectId]))
    .length;
}
