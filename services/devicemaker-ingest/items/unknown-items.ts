/**
 * How many items of a delivery that belong to no user of ours are answered one by one. Anybody can send thousands of
 * them in a small body, and each costs a verdict, a sentence and a line of the answer; the others are only counted.
 */
export class UnknownItems {
  readonly #most: number;
  readonly #left = new Map<string, number>();
  #listed = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the next item of this key is answered one by one. */
  admits(key: string): boolean {
    if (this.#listed < this.#most) {
      this.#listed += 1;
      return true;
    }
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
    return false;
  }

  /** A sentence for each key of which items were left out. */
  sentences(): string[] {
    return [...this.#left].map(
      ([key, left]) => `${key}: ${left} more items belong to no user and are not listed`,
    );
  }
}
