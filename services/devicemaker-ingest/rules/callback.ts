import type { Config } from '../../../config.ts';
import type { DataType } from '../../../providers/devicemaker/data-types.ts';

/** Allowed callback addresses: exact origins, and the path prefix of the provider's API. */
export interface CallbackRules {
  readonly origins: readonly string[];
  readonly pathPrefix: string;
}

/** A valid callback, or the reason why it is rejected. The reason contains no part of the URL. */
type Checked = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

const longestUrl = 4096;
const knownParameters = new Set(['uploadStartTimeInSeconds', 'uploadEndTimeInSeconds', 'token']);

/** The configured rules: the listed origins, otherwise the origin of the provider's API. */
export function callbackRules(
  config: Pick<Config, 'DEVICEMAKER_API_URL' | 'DEVICEMAKER_CALLBACK_ORIGINS'>,
): CallbackRules {
  const api = new URL(config.DEVICEMAKER_API_URL);
  return {
    origins: config.DEVICEMAKER_CALLBACK_ORIGINS ?? [api.origin],
    pathPrefix: api.pathname.replace(/\/+$/, ''),
  };
}

/**
 * Checks the callbackURL of a ping item for one data type. It must be in the normal form of the URL parser, so that no
 * two parsers can disagree about its host: no blank, tab, control character or backslash, no upper case or default
 * port, no alternative notation of an address, no dot segments in the path. The whole origin is compared, never a
 * suffix.
 */
export function checkCallback(
  text: unknown,
  { name, alsoSentAs }: DataType,
  { origins, pathPrefix }: CallbackRules,
): Checked {
  if (typeof text !== 'string' || text === '') return refused('must be a text');
  if (text.length > longestUrl) return refused(`must be at most ${longestUrl} characters`);
  const url = URL.parse(text);
  if (url === null) return refused('must be a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('must be an https URL');
  if (!origins.includes(url.origin)) return refused("must lead to the provider's API");
  if (url.username !== '' || url.password !== '') return refused('must not name a user');
  if (text.includes('#') || url.href !== text) return refused('must be written in its plain form');
  if (!isPathOf(url.pathname, pathPrefix, [name, ...alsoSentAs])) return refused('must end in the data type');
  if (!isKnownQuery(url.searchParams)) return refused('has unknown or repeated parameters');
  return { ok: true, url };
}

function refused(reason: string): Checked {
  return { ok: false, reason };
}

function isPathOf(path: string, prefix: string, names: readonly string[]): boolean {
  if (!path.startsWith(`${prefix}/`)) return false;
  const segments = path.slice(prefix.length + 1).split('/');
  return segments.every((segment) => /^[\w-]+$/.test(segment)) && names.includes(segments.at(-1) ?? '');
}

function isKnownQuery(query: URLSearchParams): boolean {
  const keys = [...query.keys()];
  return new Set(keys).size === keys.length && keys.every((key) => knownParameters.has(key));
}
