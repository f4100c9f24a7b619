/**
 * A function of a description from outside of the tree threw. The message names the function and where it threw, and not what the
 * error says: that may contain data of a user.
 */
export class FunctionFailure extends Error {
  constructor(provider: string, path: string, cause: unknown) {
    const kind = cause instanceof Error ? cause.name : typeof cause;
    const [, place] =
      (cause instanceof Error ? cause.stack : undefined)?.match(/([^/\s(]+:\d+:\d+)\)?$/m) ?? [];
    super(`${path} of ${provider} threw ${kind}${place === undefined ? '' : ` at ${place}`}`, { cause });
    this.name = 'FunctionFailure';
  }
}
