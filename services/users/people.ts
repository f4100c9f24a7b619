import type { User } from '../../contracts/users.ts';
import { ServiceError, userNotFound } from '../../domain/errors.ts';
import { recordAuditInOrm } from '../../mixins/audit.ts';
import type { Orm } from '../../mixins/orm.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { violates } from './constraint-violation.ts';
import { Person } from './users.entities.ts';

/** What may be told of a person: null clears a field, one left out stays. */
export type PersonFields = {
  readonly [K in Exclude<keyof User, 'id' | 'created_at'>]?: string | null | undefined;
};

/** Makes a person. @throws EXTERNAL_USER_ID_TAKEN (409) */
export function createPerson(orm: Orm, origin: AuditOrigin, fields: PersonFields): Promise<Person> {
  return orm.fork().transactional(async (em) => {
    const rows = await em.execute<{ id: string }[]>(
      insert,
      names.map((name) => fields[name] ?? null),
    );
    const [row] = rows;
    if (row === undefined) throw new ServiceError('EXTERNAL_USER_ID_TAKEN');
    await recordAuditInOrm(em, origin, { action: 'user.created', userId: row.id });
    return em.findOneOrFail(Person, { id: row.id });
  });
}

// A taken id is an ordinary answer: PostgreSQL would log the conflict as an error.
const insert = `
  insert into users.person (first_name, last_name, email, external_user_id) values (?, ?, ?, ?)
  on conflict (external_user_id) where deleted_at is null do nothing returning id`;

/** A person who lives here. @throws USER_NOT_FOUND (404) */
export async function findPerson(orm: Orm, id: string): Promise<Person> {
  const person = await orm.fork().findOne(Person, { id, deletedAt: null });
  if (person === null) throw userNotFound(id);
  return person;
}

/** Changes a person. @throws USER_NOT_FOUND (404), EXTERNAL_USER_ID_TAKEN (409) */
export async function changePerson(
  orm: Orm,
  origin: AuditOrigin,
  id: string,
  fields: PersonFields,
): Promise<Person> {
  const change = columnsOf(fields);
  if (Object.keys(change).length > 0) {
    await refuseTaken(orm, id, fields);
    await unlessTaken(writeChange(orm, origin, id, fields));
  }
  return findPerson(orm, id);
}

// Asked before the update, because PostgreSQL would log the conflict as an error; of two changes at once one still ends so.
async function refuseTaken(orm: Orm, id: string, { external_user_id }: PersonFields): Promise<void> {
  if (external_user_id === undefined || external_user_id === null) return;
  const holder = await orm.fork().findOne(Person, { externalUserId: external_user_id, deletedAt: null });
  if (holder === null || holder.id === id) return;
  await findPerson(orm, id);
  throw new ServiceError('EXTERNAL_USER_ID_TAKEN');
}

function writeChange(orm: Orm, origin: AuditOrigin, id: string, fields: PersonFields): Promise<void> {
  return orm.fork().transactional(async (em) => {
    // Not by way of a loaded row: a deletion between the reading and the writing must win.
    const changed = await em.nativeUpdate(Person, { id, deletedAt: null }, columnsOf(fields));
    if (changed === 0) throw userNotFound(id);
    const details = { fields: namesOf(fields) };
    await recordAuditInOrm(em, origin, { action: 'user.updated', userId: id, details });
  });
}

const names = ['first_name', 'last_name', 'email', 'external_user_id'] as const;

function namesOf(fields: PersonFields): string[] {
  return names.filter((name) => fields[name] !== undefined);
}

function columnsOf({ first_name, last_name, email, external_user_id }: PersonFields) {
  return {
    ...(first_name === undefined ? {} : { firstName: first_name }),
    ...(last_name === undefined ? {} : { lastName: last_name }),
    ...(email === undefined ? {} : { email }),
    ...(external_user_id === undefined ? {} : { externalUserId: external_user_id }),
  };
}

async function unlessTaken<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw violates(error, 'person_external_user_id') ? new ServiceError('EXTERNAL_USER_ID_TAKEN') : error;
  }
}
