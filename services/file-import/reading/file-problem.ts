/** A file cannot be read further. The message is a sentence for its user, and contains no value of the file. */
export class FileProblem extends Error {}

/** The stored bytes of a file cannot be read: the cause is the disk or the secret, not the file, so a later attempt may succeed. */
export class BytesUnavailable extends Error {}

/** Any error of reading an archive but that of its stored bytes is damage of the archive. */
export function archiveProblem(error: unknown): Error {
  if (error instanceof FileProblem || error instanceof BytesUnavailable) return error;
  return new FileProblem('The archive is cut off or damaged.');
}
