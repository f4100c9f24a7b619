/** A connection URL of PostgreSQL, which may list several hosts as libpq's do. */
export interface DatabaseUrl {
  /** One URL per host, in the order of the list, without target_session_attrs. */
  readonly servers: readonly string[];
  /** What target_session_attrs asks for. Null if it is not given. */
  readonly target: string | null;
}

const form = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^@/?#]*)((?:\/[^?#]*)?)((?:\?[^#]*)?)$/;
const host = /^(\[[0-9a-fA-F:.]+\]|[^[\]:\s]*)(:\d{1,5})?$/;

/** Reads `postgres://user:password@a:5432,b:5432/name?target_session_attrs=read-write`; null if the form is wrong. */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const [, scheme, credentials, hosts = '', path, search = ''] = form.exec(text) ?? [];
  const list = hosts.split(',');
  if (scheme === undefined || !list.every((one) => host.test(one))) return null;
  if (list.length > 1 && list.includes('')) return null;
  const options = new URLSearchParams(search);
  const target = options.get('target_session_attrs');
  options.delete('target_session_attrs');
  const rest = `${path}${options.size === 0 ? '' : `?${options}`}`;
  const servers = list.map((one) => `${scheme}${credentials}${one}${rest}`);
  return servers.every((server) => URL.canParse(server)) ? { servers, target } : null;
}

/** The servers of a URL that was validated. @throws Error if it was not */
export function serversOf(text: string): readonly string[] {
  return parsed(text).servers;
}

/** Whether connections look for the primary among the servers: several hosts, or target_session_attrs. */
export function isSearched(text: string): boolean {
  const { servers, target } = parsed(text);
  return servers.length > 1 || target !== null;
}

/** Whether a URL names a single server and does not look for the primary; true of what is no such URL. */
export function isOneServer(text: string): boolean {
  const url = parseDatabaseUrl(text);
  return url === null || (url.servers.length === 1 && url.target === null);
}

function parsed(text: string): DatabaseUrl {
  const url = parseDatabaseUrl(text);
  if (url === null) throw new Error('not a postgres:// URL');
  return url;
}

/** The same servers and database as another user. */
export function withCredentials(text: string, user: string, password: string): string {
  const [, scheme = '', , hosts = '', path = '', search = ''] = form.exec(text) ?? [];
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hosts}${path}${search}`;
}

/** The servers of `text` as the user of another URL. */
export function sameUser(other: string, text: string): string {
  const { username, password } = new URL(serversOf(other)[0] ?? '');
  return withCredentials(text, decodeURIComponent(username), decodeURIComponent(password));
}
