/** Random numbers by mulberry32 (Tommy Ettinger): equal seeds give equal numbers here and in draws.py. */
export class Draw {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** From 0 below 1, in steps of 2 ** -32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from low to high, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    const choice = choices[this.whole(0, choices.length - 1)];
    return choice === undefined ? choices[0] : choice;
  }

  /** A list of `count` values, each made from its index. */
  list<Value>(count: number, make: (index: number) => Value): Value[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
