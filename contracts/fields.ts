import { isIP } from 'node:net';
import { z } from 'zod';
import { keyScopes, roles } from '../domain/access.ts';
import { incidentReasons } from '../domain/freshness/incident.ts';
import { FreshKind } from '../domain/freshness/shared-kinds.ts';
import { isTimeZone } from '../domain/time/zone.ts';
import { Text } from '../domain/wire.ts';
import { providerNames, regionsOf } from '../providers/all.ts';

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

/** The role of a member in a project. */
export const Role = z.enum(roles).meta({ id: 'Role' });

/** A scope of an API key. */
export const KeyScope = z.enum(keyScopes).meta({ id: 'KeyScope' });

/** The id of a project, which whoever makes it chooses. */
export const ProjectId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'must have 1 to 40 lower-case letters, digits and hyphens, and not begin with a hyphen',
  )
  .meta({ description: 'The `id` of a project.', example: 'staging' });

/** The name of a project's logo: the hash of the content, and the form. */
export const LogoName = z.string().regex(/^logo-[0-9a-f]{64}\.(png|jpg|webp)$/);

/** An IP address, or a range of them in CIDR notation. */
export const AddressRange = z
  .string()
  .max(50)
  .refine(isAddressRange, 'must be an IP address or a range such as 192.0.2.0/24');

function isAddressRange(text: string): boolean {
  const [address = '', size, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return size === undefined || (/^\d{1,3}$/.test(size) && Number(size) <= (version === 4 ? 32 : 128));
}

/** The permissions that a provider granted, by its own names. */
export const Scope = z.array(Text.min(1).max(100)).max(100);

const regionsInWords = providerNames
  .flatMap((name) => {
    const regions = Object.keys(regionsOf(name));
    return regions.length === 0 ? [] : [`\`${name}\` has ${regions.map((one) => `\`${one}\``).join(', ')}`];
  })
  .join('; ');

/** The region of an account, at a provider that keeps those of its regions apart. */
export const RegionChoice = Text.min(1)
  .max(20)
  .optional()
  .describe(
    `The region in which the user registered the account, at a provider that keeps accounts of its regions apart: ${regionsInWords}. Default: the first one whose client is set. Other providers take none.`,
  );

/** A provider's token, encrypted. */
export const Ciphertext = z.string().min(1).max(16_384);

/** The answer of what runs. */
export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });

/** A kind of data that is expected again and again. */
export const FreshDataType = FreshKind.meta({
  id: 'FreshDataType',
  description: 'A kind of data, as the connect page names it.',
});

/** Why an incident of a provider began. */
export const IncidentReason = z.enum(incidentReasons).meta({
  id: 'IncidentReason',
  description:
    '`late`: far more connections than usual turned late in an hour. `failing`: more than half of the requests to the provider failed for ten minutes.',
});
