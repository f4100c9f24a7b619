import { z } from 'zod';
import { Text } from '../../../../domain/wire.ts';
import type { TargetHost } from '../../manage/check-hosts.ts';

const endpointForm = 'must be an http or https URL without path, user name and query';

/** The settings of a bucket. */
export const S3Settings = z.strictObject({
  endpoint: Text.max(500)
    .pipe(z.url({ protocol: /^https?$/, error: endpointForm }))
    .transform((text) => new URL(text))
    .refine(({ origin, href }) => `${origin}/` === href, endpointForm)
    .transform(({ origin }) => origin),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/, 'must have 1 to 50 lower-case letters, digits and hyphens')
    .default('us-east-1'),
  bucket: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
    ),
  prefix: z
    .string()
    .max(200, 'must be at most 200 characters')
    .regex(
      /^([\w.-]+(\/[\w.-]+)*)?$/,
      'must be folders of letters, digits, dots, hyphens and underscores, without / at both ends',
    )
    .refine(
      (text) => !text.split('/').some((part) => /^\.+$/.test(part)),
      'must not contain . or .. as a folder',
    )
    .default(''),
  access_key_id: z
    .string()
    .min(1, 'must not be empty')
    .max(200)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks'),
  secret_access_key: z
    .string()
    .min(1, 'must not be empty')
    .max(500)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks'),
  /** The bucket is a part of the host, and not of the path. */
  virtual_host: z.boolean().default(false),
  /** A file is written at most once in this time. */
  interval_seconds: z.int().min(1, 'must be at least 1').max(86_400, 'must be at most 86400').default(300),
  /** Days before today that have a file for each hour. */
  hourly_days: z.int().min(0, 'must be at least 0').max(31, 'must be at most 31').default(1),
});
export type S3Settings = z.infer<typeof S3Settings>;

/** The address of the bucket. */
export function bucketUrl({ endpoint, bucket, virtual_host }: S3Settings): URL {
  const url = new URL(endpoint);
  if (virtual_host) url.host = `${bucket}.${url.host}`;
  else url.pathname = `/${bucket}`;
  return url;
}

/** The host that requests are sent to. */
export function hostOf(settings: S3Settings): TargetHost {
  const { hostname, port, protocol } = bucketUrl(settings);
  const isEncrypted = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port === '' ? (isEncrypted ? 443 : 80) : Number(port), isEncrypted };
}
