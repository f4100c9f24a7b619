import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';

/** @throws PASSWORDS_OFF (403) where the installation takes no passwords */
export function refuseWithoutPasswords({ PASSWORDS }: Pick<Config, 'PASSWORDS'>): void {
  if (PASSWORDS === 'off') throw new ServiceError('PASSWORDS_OFF');
}
