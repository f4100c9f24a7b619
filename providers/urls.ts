/** A path below a base URL that may end with a slash. */
export function apiPath(base: string, path: string): URL {
  return new URL(`${base.replace(/\/$/, '')}${path}`);
}
