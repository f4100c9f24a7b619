const leastBytes = 16 * 1024;
const growth = 4;

/**
 * Bytes in one buffer that grows with the received bytes: its capacity is at most four times their number, even if a
 * greater length was announced. An outgrown buffer is freed at once, because the garbage collector frees large buffers late.
 */
export class GrowingBytes {
  readonly #announced: number;
  #memory: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #length = 0;

  /** `announced` is the expected length, 0 if unknown. */
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

  /** The bytes in a buffer of exact length. No bytes can be added afterwards. */
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
