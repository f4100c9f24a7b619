import {
  type Attestation,
  algorithms,
  type NewPasskeyOptions,
  type Passkey,
} from '../../../contracts/auth/passkeys.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { NewTotp, RecoveryCodes, Totp } from '../../../contracts/auth/second-factor.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type Linking, newLinkToken, sha256 } from '../rules/secrets.ts';
import {
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrlOf,
  plainCode,
  stepOf,
} from '../rules/totp-codes.ts';
import { selectPassword } from '../tables/developers.ts';
import { endOtherSessions } from '../tables/families.ts';
import {
  deleteChallenges,
  insertChallenge,
  insertPasskey,
  lacksPasskey,
  type PasskeyRow,
  selectPasskeys,
} from '../tables/passkeys.ts';
import {
  confirmTotp,
  countRecoveryCodes,
  deleteUnconfirmedTotp,
  lacksTotp,
  lockFactors,
  markSession,
  replaceRecoveryCodes,
  selectTotp,
  upsertTotp,
} from '../tables/totp.ts';
import type { AuthDeps } from '../work/deps.ts';
import {
  acceptCode,
  boundTo,
  countingProofs,
  dropPasskeys,
  relyingParty,
  takeChallenge,
  turnOff,
  userHandleOf,
  verifyAttestation,
} from '../work/second-factor.ts';
import { callingDeveloper, readDeveloper } from './developers.ts';

/** Dependencies of the changes of an authenticator. */
type TotpDeps = Pick<AuthDeps, 'database' | 'cipher' | 'passwords' | 'origin' | 'meta'>;

/** Whether the caller has an authenticator, and how many recovery codes are left. */
export async function showTotp({ database, meta }: TotpDeps): Promise<Totp> {
  const { developer_id } = callingDeveloper(meta);
  const totp = await selectTotp(database, developer_id);
  return {
    enabled: totp?.isConfirmed === true,
    recovery_codes: await countRecoveryCodes(database, developer_id),
  };
}

/** Makes a secret, which has no effect until it is confirmed. @throws SECOND_FACTOR_EXISTS (409), FORBIDDEN (403) */
export async function beginTotp({ database, cipher, meta }: TotpDeps): Promise<NewTotp> {
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
): Promise<RecoveryCodes> {
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
type Proof = ParamsOf<typeof auth, 'removeTotp'>;

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
async function requireProof(deps: TotpDeps, proof: Proof) {
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
async function refuseUnproven(on: Queryable, session: Session): Promise<void> {
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

type PasskeyDeps = TotpDeps & Linking;

/** The passkeys of the caller. */
export async function listPasskeys({ database, meta }: PasskeyDeps): Promise<Passkey[]> {
  return (await selectPasskeys(database, callingDeveloper(meta).developer_id)).map(toPasskey);
}

/**
 * What a browser needs to make a passkey for the caller.
 * @throws FORBIDDEN (403) for a wrong password or code, or in a session without the second factor that the account has
 */
export async function beginPasskey(deps: PasskeyDeps, proof: Proof): Promise<NewPasskeyOptions> {
  const { id: session, developer_id } = await requireProof(deps, proof);
  const { email } = await readDeveloper(deps.database, developer_id);
  const passkeys = await selectPasskeys(deps.database, developer_id);
  const challenge = newLinkToken();
  await insertChallenge(deps.database, sha256(challenge), session);
  return {
    challenge,
    rp: { id: relyingParty(deps).id, name: 'Pulsebus' },
    user: { id: userHandleOf(developer_id), name: email, displayName: email },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: passkeys.map(({ credential_id: id }) => ({ type: 'public-key', id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  };
}

/**
 * Stores the passkey that the browser made. The session of the caller counts as proven. Other factors that were begun before
 * are refused, because their sessions may not have proven this one.
 * @throws PASSKEY_REFUSED (403), FORBIDDEN (403) as `beginPasskey`, PASSKEY_EXISTS (409)
 */
export async function addPasskey(
  deps: PasskeyDeps,
  { name, credential: attestation }: { readonly name: string; readonly credential: Attestation },
): Promise<Passkey> {
  const { id: session, developer_id } = callingDeveloper(deps.meta);
  const challenge = await takeChallenge(deps.database, attestation, session);
  const credential = await verifyAttestation(deps, attestation, challenge);
  return deps.database.transaction(async (on) => {
    await lockFactors(on, developer_id);
    await refuseUnproven(on, { id: session, developer_id });
    const row = await insertPasskey(on, developer_id, { name, credential });
    if (row === undefined) throw new ServiceError('PASSKEY_EXISTS');
    await deleteUnconfirmedTotp(on, developer_id);
    await deleteChallenges(on, developer_id);
    await markSession(on, session);
    await recordAudit(on, deps.origin, { action: 'passkey.added', subjectId: row.id });
    return toPasskey(row);
  });
}

/**
 * Removes a passkey of the caller and ends the other sessions, of which one may be of the lost device.
 * @throws PASSKEY_NOT_FOUND (404), FORBIDDEN (403) as `beginPasskey`
 */
export async function removePasskey(deps: PasskeyDeps, id: string, proof: Proof): Promise<Passkey> {
  const { id: session, developer_id } = await requireProof(deps, proof);
  return deps.database.transaction(async (on) => {
    await lockFactors(on, developer_id);
    const [removed] = await dropPasskeys(on, deps.origin, developer_id, id);
    if (removed === undefined) throw new ServiceError('PASSKEY_NOT_FOUND');
    await endOtherSessions(on, developer_id, session);
    return toPasskey(removed);
  });
}

const toPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow): Passkey => ({
  id,
  name,
  created_at: formatInstant(created_at.getTime()),
  last_used_at: instantOrNull(last_used_at),
});
