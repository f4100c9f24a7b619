import type { Queryable } from '../../../mixins/database/database.ts';

/** Serialises the changes of the logo of a project until the transaction ends. */
export async function lockProject(transaction: Queryable, project: string): Promise<void> {
  await transaction.query('select from auth.project where id = $1 for update', [project]);
}

/** Stores a logo of a project; a former one is kept for the links that show it. Nothing is stored for an unknown project. */
export async function insertLogo(
  database: Queryable,
  project: string,
  { name, content }: { readonly name: string; readonly content: Buffer },
): Promise<void> {
  const statement = `
    insert into auth.connect_logo (project_id, name, content) select id, $2, $3 from auth.project where id = $1
    on conflict (project_id, name) do update set replaced_at = null`;
  await database.query(statement, [project, name, content]);
}

/** Marks the logos of a project as replaced, except one. They are deleted an hour later. */
export async function replaceLogos(database: Queryable, project: string, kept: string | null): Promise<void> {
  const statement = `
    update auth.connect_logo set replaced_at = now()
    where project_id = $1 and name is distinct from $2 and replaced_at is null`;
  await database.query(statement, [project, kept]);
}

/** The content of a logo. Null: no project has it. */
export async function selectLogo(database: Queryable, name: string): Promise<Buffer | null> {
  const statement = 'select content from auth.connect_logo where name = $1 limit 1';
  const [row] = await database.query<{ content: Buffer }>(statement, [name]);
  return row?.content ?? null;
}
