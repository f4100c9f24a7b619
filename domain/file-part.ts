/** A part of a file that is imported: its base64 text fits into a message of the bus. */
export const filePartBytes = 512 * 1024;
