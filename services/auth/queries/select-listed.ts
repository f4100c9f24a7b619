import type { Queryable } from '../../../mixins/database/database.ts';
import type { Application, Developer } from '../auth.entities.ts';
import { type ApiKeyRow, shownColumns } from './change-keys.ts';

/** The maximum length of a list of keys, applications or developers. */
const mostListed = 1000;
const newestFirst = `order by created_at desc, id desc limit ${mostListed}`;

/** An account without its password. */
export type ShownDeveloper = Pick<Developer, 'id' | 'email' | 'createdAt' | 'isOwner' | 'confirmedAt'>;
const shownDeveloper =
  'id, email, created_at as "createdAt", is_owner as "isOwner", confirmed_at as "confirmedAt"';
const ofDeveloper = `select ${shownDeveloper} from auth.developer`;

/** The accounts of developers, newest first. */
export const selectDevelopers = (database: Queryable): Promise<ShownDeveloper[]> =>
  database.query(`${ofDeveloper} ${newestFirst}`);

/** An account. Undefined if there is none. */
export async function selectDeveloper(database: Queryable, id: string): Promise<ShownDeveloper | undefined> {
  const [row] = await database.query<ShownDeveloper>(`${ofDeveloper} where id = $1`, [id]);
  return row;
}

/** Confirms the address of an account; undefined if there is none. A confirmed one keeps its time. */
export async function confirmAddress(on: Queryable, id: string): Promise<ShownDeveloper | undefined> {
  const statement = `
    update auth.developer set confirmed_at = coalesce(confirmed_at, now()) where id = $1 returning ${shownDeveloper}`;
  const [row] = await on.query<ShownDeveloper>(statement, [id]);
  return row;
}

/** The API keys of a project, newest first. */
export const selectApiKeys = (database: Queryable, project: string): Promise<ApiKeyRow[]> =>
  database.query(`select ${shownColumns} from auth.api_key where project_id = $1 ${newestFirst}`, [project]);

/** The applications of a project, newest first, without their secrets. */
export const selectApplications = (database: Queryable, project: string): Promise<ShownApplication[]> =>
  database.query(
    `select id, app_id as "appId", name, created_at as "createdAt" from auth.application
     where project_id = $1 ${newestFirst}`,
    [project],
  );

/** An application without its secret. */
export type ShownApplication = Pick<Application, 'id' | 'appId' | 'name' | 'createdAt'>;
