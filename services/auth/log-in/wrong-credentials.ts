import { ServiceError } from '../../../domain/errors.ts';

/** The refusal of a wrong password, client secret or user: it does not say which of them is wrong. */
export function wrongCredentials(): ServiceError {
  return new ServiceError('UNAUTHENTICATED', 'The credentials are not valid.');
}
