import type * as wire from '../../../contracts/auth/passkeys.ts';
import { algorithms } from '../../../contracts/auth/passkeys.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import { type Linking, newLinkToken, sha256 } from '../rules/secrets.ts';
import { endOtherSessions } from '../tables/families.ts';
import {
  deleteChallenges,
  insertChallenge,
  insertPasskey,
  type PasskeyRow,
  selectPasskeys,
} from '../tables/passkeys.ts';
import { deleteUnconfirmedTotp, lockFactors, markSession } from '../tables/totp.ts';
import {
  dropPasskeys,
  relyingParty,
  takeChallenge,
  userHandleOf,
  verifyAttestation,
} from '../work/second-factor.ts';
import { callingDeveloper, readDeveloper } from './developers.ts';
import { type Proof, refuseUnproven, requireProof, type TotpDeps } from './totp.ts';

type PasskeyDeps = TotpDeps & Linking;

/** The passkeys of the caller. */
export async function listPasskeys({ database, meta }: PasskeyDeps): Promise<wire.Passkey[]> {
  return (await selectPasskeys(database, callingDeveloper(meta).developer_id)).map(toPasskey);
}

/**
 * What a browser needs to make a passkey for the caller.
 * @throws FORBIDDEN (403) for a wrong password or code, or in a session without the second factor that the account has
 */
export async function beginPasskey(deps: PasskeyDeps, proof: Proof): Promise<wire.NewPasskeyOptions> {
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
  { name, credential: attestation }: { readonly name: string; readonly credential: wire.Attestation },
): Promise<wire.Passkey> {
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
export async function removePasskey(deps: PasskeyDeps, id: string, proof: Proof): Promise<wire.Passkey> {
  const { id: session, developer_id } = await requireProof(deps, proof);
  return deps.database.transaction(async (on) => {
    await lockFactors(on, developer_id);
    const [removed] = await dropPasskeys(on, deps.origin, developer_id, id);
    if (removed === undefined) throw new ServiceError('PASSKEY_NOT_FOUND');
    await endOtherSessions(on, developer_id, session);
    return toPasskey(removed);
  });
}

const toPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow): wire.Passkey => ({
  id,
  name,
  created_at: formatInstant(created_at.getTime()),
  last_used_at: instantOrNull(last_used_at),
});
