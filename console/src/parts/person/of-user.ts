/** The user of a page, and the number of changes since it was opened: what is shown is read again with each. */
export interface OfUser {
  readonly userId: string;
  readonly version: number;
}
