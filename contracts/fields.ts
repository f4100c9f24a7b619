import { z } from 'zod';
import { isTimeZone } from '../domain/time/zone.ts';
import { Text } from '../domain/wire.ts';

/** Fields that several contracts have in common. */

/** A name of at most 100 characters, which may be empty. */
export const Name = Text.trim().max(100, 'must be at most 100 characters');

/** A name of 1 to 100 characters. */
export const Title = Text.trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters');

/** An e-mail address. */
export const Email = z.email('must be a valid e-mail address').max(320);

/** The IANA name of a time zone. */
export const TimeZone = Text.refine(
  isTimeZone,
  'must be the IANA name of a time zone, such as Europe/Berlin',
);

/** The permissions that a provider granted, by its own names. */
export const Scope = z.array(Text.min(1).max(100)).max(100);

/** A provider's token, encrypted. */
export const Ciphertext = z.string().min(1).max(16_384);

/** The answer of what runs. */
export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
