const leastBytes = 16 * 1024;
const growth = 4;

/**
 * Bytes in one piece of memory that grows with what arrives: at most four times what is there, never what was only
 * announced. Memory that is outgrown is given back at once, because the garbage collector frees large pieces late.
 */
export class GrowingBytes {
  readonly #announced: number;
  #memory: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #length = 0;

  /** `announced` is the length that is expected, 0 where it is unknown. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#memory.length) this.#resize(this.#capacityFor(needed));
    this.#memory.set(chunk, this.#length);
    this.#length = needed;
  }

  /** The bytes, in memory of their own. Nothing can be added afterwards. */
  take(): Buffer<ArrayBuffer> {
    if (this.#memory.length !== this.#length) this.#resize(this.#length);
    return this.#memory;
  }

  #capacityFor(needed: number): number {
    const most = Math.max(leastBytes, growth * needed);
    return this.#announced >= needed ? Math.min(this.#announced, most) : most;
  }

  #resize(capacity: number): void {
    const outgrown = this.#memory;
    this.#memory = Buffer.allocUnsafeSlow(capacity);
    outgrown.copy(this.#memory, 0, 0, this.#length);
    outgrown.buffer.transfer(0);
  }
}
