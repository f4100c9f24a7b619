import type { Caller } from '../../../contracts/auth/schemas.ts';
import type * as wire from '../../../contracts/auth/second-factor.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { sha256 } from '../rules/secrets.ts';
import {
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrlOf,
  plainCode,
  stepOf,
} from '../rules/totp-codes.ts';
import { selectPassword } from '../tables/developers.ts';
import { deleteChallenges, lacksPasskey } from '../tables/passkeys.ts';
import {
  confirmTotp,
  countRecoveryCodes,
  lacksTotp,
  lockFactors,
  markSession,
  replaceRecoveryCodes,
  selectTotp,
  upsertTotp,
} from '../tables/totp.ts';
import type { AuthDeps } from '../work/deps.ts';
import { acceptCode, boundTo, countingProofs, turnOff } from '../work/second-factor.ts';
import { callingDeveloper, readDeveloper } from './developers.ts';

/** Dependencies of the changes of an authenticator. */
export type TotpDeps = Pick<AuthDeps, 'database' | 'cipher' | 'passwords' | 'origin' | 'meta'>;

/** Whether the caller has an authenticator, and how many recovery codes are left. */
export async function showTotp({ database, meta }: TotpDeps): Promise<wire.Totp> {
  const { developer_id } = callingDeveloper(meta);
  const totp = await selectTotp(database, developer_id);
  return {
    enabled: totp?.isConfirmed === true,
    recovery_codes: await countRecoveryCodes(database, developer_id),
  };
}

/** Makes a secret, which has no effect until it is confirmed. @throws SECOND_FACTOR_EXISTS (409), FORBIDDEN (403) */
export async function beginTotp({ database, cipher, meta }: TotpDeps): Promise<wire.NewTotp> {
  const { developer_id } = await changingCaller({ database, meta });
  const { email } = await readDeveloper(database, developer_id);
  const secret = newTotpSecret();
  if (!(await upsertTotp(database, developer_id, cipher.encrypt(secret, boundTo(developer_id)))))
    throw new ServiceError('SECOND_FACTOR_EXISTS');
  return { secret, otpauth_url: otpauthUrlOf(secret, email) };
}

/**
 * Turns the authenticator on; only this answer contains the recovery codes. The session of the caller counts as proven.
 * Passkeys that were begun before are refused, because no code was required then.
 * @throws SECOND_FACTOR_NOT_FOUND (404) if none was begun, SECOND_FACTOR_EXISTS (409), VALIDATION_FAILED (422) for a wrong code, FORBIDDEN (403) as `beginTotp`
 */
export async function confirmBegunTotp(
  { database, cipher, origin, meta }: TotpDeps,
  code: string,
): Promise<wire.RecoveryCodes> {
  const caller = callingDeveloper(meta);
  const { id: session, developer_id } = caller;
  const totp = await selectTotp(database, developer_id);
  if (totp === undefined) throw new ServiceError('SECOND_FACTOR_NOT_FOUND');
  if (totp.isConfirmed) throw new ServiceError('SECOND_FACTOR_EXISTS');
  const plain = plainCode(code);
  let step: number | null = null;
  const isRight = await countingProofs({ database, origin }, caller, async () => {
    if (isTotpCode(plain))
      step = stepOf(cipher.decrypt(totp.secret, boundTo(developer_id)), plain, Date.now());
    return step !== null;
  });
  if (!isRight || step === null)
    throw validationFailed([{ field: 'code', message: 'is not the current code' }]);
  const recovery_codes = newRecoveryCodes();
  const confirmed = { secret: totp.secret, step };
  await database.transaction(async (on) => {
    await lockFactors(on, developer_id);
    await refuseWithoutPasskey(on, { id: session, developer_id });
    if (!(await confirmTotp(on, developer_id, confirmed))) throw new ServiceError('SECOND_FACTOR_EXISTS');
    const hashes = recovery_codes.map((recoveryCode) => sha256(plainCode(recoveryCode)));
    await replaceRecoveryCodes(on, developer_id, hashes);
    await deleteChallenges(on, developer_id);
    await markSession(on, session);
    await recordAudit(on, origin, { action: 'second_factor.enabled', subjectId: developer_id });
  });
  return { recovery_codes };
}

/** What proves that the caller may turn the authenticator off. */
export type Proof = ParamsOf<typeof auth, 'removeTotp'>;

/** Turns the authenticator off. @throws SECOND_FACTOR_NOT_FOUND (404), FORBIDDEN (403) for a wrong password or code */
export async function removeTotp(deps: TotpDeps, proof: Proof): Promise<void> {
  const { database, origin, meta } = deps;
  const { developer_id } = callingDeveloper(meta);
  const totp = await selectTotp(database, developer_id);
  if (totp?.isConfirmed !== true) throw new ServiceError('SECOND_FACTOR_NOT_FOUND');
  await requireProof(deps, proof);
  await database.transaction(async (on) => {
    await lockFactors(on, developer_id);
    await turnOff(on, developer_id);
    await recordAudit(on, origin, { action: 'second_factor.disabled', subjectId: developer_id });
  });
}

/**
 * The caller, with the password or a code. A code proves the second factor in the session.
 * @throws FORBIDDEN (403) for a wrong one, or without a code in a session that did not prove the authenticator, RATE_LIMITED (429)
 */
export async function requireProof(deps: TotpDeps, proof: Proof) {
  const { database } = deps;
  const caller = await changingCaller(deps);
  const { id, developer_id } = caller;
  if (proof.code === undefined) await refuseWithoutCode(database, caller);
  const isProven = await countingProofs(deps, caller, () => proves(deps, developer_id, proof));
  if (!isProven) throw new ServiceError('FORBIDDEN', 'The password or the code is wrong.');
  if (proof.code !== undefined) await markSession(database, id);
  return caller;
}

async function changingCaller({ database, meta }: Pick<TotpDeps, 'database' | 'meta'>) {
  const caller = callingDeveloper(meta);
  await refuseWithoutPasskey(database, caller);
  return caller;
}

/** A session of a developer. */
type Session = Pick<Caller, 'id'> & { readonly developer_id: string };

// Without this check, a session that did not prove the second factor of its account could add a factor and prove
// itself with it.
async function refuseWithoutPasskey(on: Queryable, { id, developer_id }: Session): Promise<void> {
  if (await lacksPasskey(on, developer_id, id))
    throw new ServiceError('FORBIDDEN', 'This account has a passkey: sign in with it first.');
}

async function refuseWithoutCode(on: Queryable, { id, developer_id }: Session): Promise<void> {
  if (await lacksTotp(on, developer_id, id))
    throw new ServiceError('FORBIDDEN', 'This account has an authenticator: a code is required.');
}

/** Refuses a session that did not prove a factor that its account has. @throws FORBIDDEN (403) */
export async function refuseUnproven(on: Queryable, session: Session): Promise<void> {
  await refuseWithoutPasskey(on, session);
  await refuseWithoutCode(on, session);
}

async function proves(deps: TotpDeps, developerId: string, { password, code }: Proof) {
  if (code !== undefined) {
    const totp = await selectTotp(deps.database, developerId);
    return totp?.isConfirmed === true && acceptCode(deps, developerId, { secret: totp.secret, code });
  }
  const { email } = await readDeveloper(deps.database, developerId);
  const account = await selectPassword(deps.database, email);
  return deps.passwords.matches(password ?? '', account?.password ?? null);
}
