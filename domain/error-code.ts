/** The code of an error of the operating system or of a server (`ENOENT`, `40001`); undefined if it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  const code: unknown = fieldOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** A field of any thrown value; undefined if there is none. */
export function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
