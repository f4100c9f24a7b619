/**
 * Limits how many items of unknown accounts an answer lists. A small body can contain thousands of them, and each costs
 * a status, a sentence and a line. The others are only counted.
 */
export class UnknownItems {
  readonly #most: number;
  readonly #left = new Map<string, number>();
  #listed = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the next item of this key is listed. */
  admits(key: string): boolean {
    if (this.#listed < this.#most) {
      this.#listed += 1;
      return true;
    }
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
    return false;
  }

  /** One sentence for each key whose items are not all listed. */
  sentences(): string[] {
    return [...this.#left].map(
      ([key, left]) => `${key}: ${left} more items belong to no user and are not listed`,
    );
  }
}
