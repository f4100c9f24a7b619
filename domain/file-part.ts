/** A part of a file that is passed on and stored in parts: its base64 text fits into a message of the bus. */
export const filePartBytes = 512 * 1024;
