import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

/** A setting that null removes. */
export function optional(schema: z.ZodString) {
  return schema.nullish().transform((text) => text ?? undefined);
}

/** The settings of TLS. A certificate is verified, with the authorities of the system or those of `tls_ca`. */
export const tlsSettings = {
  tls: z.enum(['verify', 'off']).default('verify'),
  tls_ca: optional(
    z
      .string()
      .max(100_000, 'must be at most 100000 characters')
      .refine(isCertificate, 'must be a certificate in PEM form'),
  ),
};

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).fingerprint256 !== '';
  } catch {
    return false;
  }
}

/** A name or an address of a host. */
export const HostName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(253, 'must be at most 253 characters')
  .refine(
    (text) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.?$/i.test(text),
    'must be the name or the address of a host',
  );
