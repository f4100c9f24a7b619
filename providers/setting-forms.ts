import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { parseDatabaseUrl } from '../domain/database-url.ts';

/** Schemas of settings. Environment variables are strings. */

/** A whole number in a range. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));
/** A number from 0 to 1. */
export const share = z
  .string()
  .regex(/^(0|1|[01]?\.\d{1,6})$/, 'must be a number from 0 to 1')
  .transform(Number)
  .pipe(z.number().max(1, 'must be at most 1'));
/** Four shares that add up to 1. */
export const weights = z
  .string()
  .transform((text) => text.split(',').map((part) => Number(part.trim() || Number.NaN)))
  .refine(
    (all) =>
      all.length === 4 && all.every((one) => one >= 0) && Math.abs(all.reduce((a, b) => a + b, 0) - 1) < 1e-9,
    'must be four numbers from 0 to 1, separated by commas, that add up to 1',
  );
/** `true` or `false`. */
export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
/** A comma-separated list. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** `name=value` pairs, comma-separated, as OpenTelemetry's settings have them: values are percent-encoded. */
export const pairs = list.transform((all, context) => {
  const pairs: Record<string, string> = {};
  for (const one of all) {
    const [name = '', ...rest] = one.split('=');
    try {
      pairs[name.trim()] = decodeURIComponent(rest.join('=').trim());
    } catch {
      context.addIssue('must be name=value, …, each value percent-encoded');
    }
    if (name.trim() === '' || rest.length === 0) context.addIssue('must be name=value, …');
  }
  return pairs;
});
/** An http or https URL. */
export const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** One or several nats:// URLs, comma-separated. They are the servers of one cluster. */
export const busUrl = list
  .refine(
    (all) => all.length > 0 && all.every((one) => URL.canParse(one) && /^(nats|tls):\/\/./.test(one)),
    'must be nats:// or tls:// URLs, comma-separated',
  )
  .transform((all) => all.join(','));
/** A postgres:// URL. It may list several hosts; target_session_attrs is one of `targets`. */
export const databaseUrl = (...targets: readonly string[]) =>
  z
    .string()
    .refine((text) => parseDatabaseUrl(text) !== null, 'must be a postgres:// URL')
    .refine(
      (text) => {
        const target = parseDatabaseUrl(text)?.target ?? null;
        return target === null || targets.includes(target);
      },
      `target_session_attrs must be one of ${targets.join(', ')}`,
    );
/** An origin: scheme, host and port. */
export const origin = url.refine(
  (text) => new URL(text).origin === text,
  'must be an origin: scheme, host and port only',
);
/** A host and its port, as in `127.0.0.1:9000` or `[::1]:9000`. */
export const hostAndPort = z
  .string()
  .regex(/^([\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i, 'must be a host and a port, such as 127.0.0.1:9000')
  .transform((text) => text.toLowerCase());
/**
 * A redirect target of a browser. Application-specific schemes are allowed, schemes that a browser executes are not.
 */
export const redirect = z
  .url('must be a URL')
  .refine(
    (text) => !/^(javascript|data|vbscript|file|blob|about):/i.test(text) && !text.includes('#'),
    'must not have a fragment, nor a scheme that a browser runs',
  );
/** A comma-separated list of secrets. The first one signs, all of them verify. */
export const secrets = list.refine(
  (all) => all.length > 0 && all.every((secret) => secret.length >= 32),
  'each secret must have at least 32 characters',
);
/** Secrets that are path segments. Only characters that no client or proxy encodes differently are allowed. */
export const webhookSecrets = secrets.refine(
  (all) => all.every((secret) => /^[\w-]{1,200}$/.test(secret)),
  'each secret must be letters, digits, _ or -, at most 200 of them',
);
/** Network addresses and ranges. */
export const networks = list.refine(
  areNetworks,
  'must be addresses or ranges of addresses: 203.0.113.7, 198.51.100.0/24, 2001:db8::/32',
);

// proxy-addr also accepts names (loopback, linklocal, uniquelocal).
function areNetworks(all: readonly string[]): boolean {
  try {
    proxyAddr.compile([...all]);
    return true;
  } catch {
    return false;
  }
}
