import { externalUserIdSystem } from './coding.ts';

/** What a Patient is made of. */
export interface PatientUser {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly external_user_id: string | null;
}

/** The Patient of a user. Only what the user's record holds is sent: there is neither a birth date nor a sex. */
export function patientOf({ id, first_name, last_name, email, external_user_id: external }: PatientUser) {
  const given = first_name === null ? {} : { given: [first_name] };
  const family = last_name === null ? {} : { family: last_name };
  return {
    resourceType: 'Patient' as const,
    id,
    ...(external === null ? {} : { identifier: [{ system: externalUserIdSystem, value: external }] }),
    active: true,
    ...(first_name === null && last_name === null ? {} : { name: [{ ...family, ...given }] }),
    ...(email === null ? {} : { telecom: [{ system: 'email', value: email }] }),
  };
}
