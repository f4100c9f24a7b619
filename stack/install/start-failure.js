/** A failure that is explained in its message: it is printed without a stack trace. */
export class StartFailure extends Error {
  name = 'StartFailure';
}
