/** The code of a failure of the system or a server (`ENOENT`, `40001`); undefined where it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  const code: unknown = fieldOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** A field of a failure of any kind; undefined where it has none. */
export function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
