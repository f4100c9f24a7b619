import type * as wire from '../../../contracts/auth/schemas.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Orm } from '../../../mixins/database/orm.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { refuseWeakPassword } from '../rules/password-rules.ts';
import { acting, actingWith } from '../tables/acting.ts';
import {
  confirmAddress,
  replacePassword,
  type ShownDeveloper,
  selectDeveloper,
} from '../tables/developers.ts';
import { Developer } from '../tables/entities.ts';
import { endOtherSessions } from '../tables/families.ts';
import type { AuthDeps, ChangeDeps } from '../work/deps.ts';
import { countingProofs } from '../work/second-factor.ts';

/** The developer behind a call. @throws UNAUTHENTICATED (401) without a caller, FORBIDDEN (403) for another kind. */
export function callingDeveloper({ caller }: Meta): Caller & { readonly developer_id: string } {
  if (!caller) throw new ServiceError('UNAUTHENTICATED');
  const { developer_id } = caller;
  if (caller.kind !== 'developer' || developer_id === null) throw new ServiceError('FORBIDDEN');
  return { ...caller, developer_id };
}

/** A developer's account. @throws DEVELOPER_NOT_FOUND (404) */
export async function findDeveloper(orm: Orm, id: string): Promise<Developer> {
  const developer = await orm.fork().findOne(Developer, { id });
  if (developer === null) throw new ServiceError('DEVELOPER_NOT_FOUND');
  return developer;
}

/** A developer's account as it is shown. @throws DEVELOPER_NOT_FOUND (404) */
export async function readDeveloper(database: Queryable, id: string): Promise<ShownDeveloper> {
  const developer = await selectDeveloper(database, id);
  if (developer === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
  return developer;
}

/** Marks the address of an account as confirmed, at the request of an owner. @throws DEVELOPER_NOT_FOUND (404) */
export function confirmDeveloper({ database, origin }: ChangeDeps, id: string): Promise<ShownDeveloper> {
  return database.transaction(async (on) => {
    const developer = await confirmAddress(on, id);
    if (developer === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
    await recordAudit(on, origin, { action: 'developer.confirmed', subjectId: id });
    return developer;
  });
}

/** Creates an account with a confirmed address, as an owner does. @throws VALIDATION_FAILED (422) for a weak password, EMAIL_TAKEN (409) (case-insensitive) */
export async function createDeveloper(
  { orm, passwords }: Pick<AuthDeps, 'orm' | 'passwords'>,
  origin: AuditOrigin,
  {
    email,
    password,
    is_owner: isOwner,
  }: { readonly email: string; readonly password: string; readonly is_owner: boolean },
): Promise<Developer> {
  await refuseWeakPassword('password', password, email);
  const hash = await passwords.hash(password);
  return actingWith(orm, origin, async (em) => {
    const [row] = await em.execute<{ id: string }[]>(insert, [email, hash, isOwner]);
    if (row === undefined) throw new ServiceError('EMAIL_TAKEN');
    return em.findOneOrFail(Developer, { id: row.id });
  });
}

// `on conflict do nothing`: a taken address is a normal outcome, and PostgreSQL logs a violated constraint as an error.
const insert =
  'insert into auth.developer (email, password, is_owner, confirmed_at) values (?, ?, ?, now()) on conflict (lower(email)) do nothing returning id';

/**
 * Changes the caller's password and ends all their other sessions.
 * @throws VALIDATION_FAILED (422) for a weak password, FORBIDDEN (403) where the current one is wrong, RATE_LIMITED (429)
 */
export async function changePassword(
  { database, orm, passwords, origin }: Pick<AuthDeps, 'database' | 'orm' | 'passwords' | 'origin'>,
  caller: { readonly id: string; readonly developer_id: string },
  current: string,
  next: string,
): Promise<Developer> {
  const developer = await findDeveloper(orm, caller.developer_id);
  await refuseWeakPassword('new_password', next, developer.email);
  const isRight = await countingProofs({ database, origin }, caller, () =>
    passwords.matches(current, developer.password),
  );
  if (!isRight) throw wrongPassword();
  const hash = await passwords.hash(next);
  await acting(database, origin, async (transaction) => {
    // Of two concurrent changes only one succeeds.
    const passwords = { checked: developer.password, next: hash };
    if (!(await replacePassword(transaction, developer.id, passwords))) throw wrongPassword();
    await endOtherSessions(transaction, developer.id, caller.id);
  });
  return developer;
}

const wrongPassword = () => new ServiceError('FORBIDDEN', 'The current password is wrong.');

/** The wire format of a developer's row. */
export function toDeveloper({ id, email, createdAt, isOwner, confirmedAt }: ShownDeveloper): wire.Developer {
  return {
    id,
    email,
    created_at: formatInstant(createdAt.getTime()),
    is_owner: isOwner,
    is_confirmed: isOwner || (confirmedAt ?? null) !== null,
  };
}
