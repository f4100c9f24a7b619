/** A path of an API whose address may end with a slash. */
export function apiPath(base: string, path: string): URL {
  return new URL(`${base.replace(/\/$/, '')}${path}`);
}
