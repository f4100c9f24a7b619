import { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** The bytes that the target may still send. */
let left = 0;

/** Lets the target send so many bytes from now on. */
export function allowBytes(bytes: number): void {
  left = Math.max(left, bytes);
}

/**
 * Counts what all sockets of this thread receive, before a library joins it. A socket that receives more than is allowed ends, and
 * its bytes reach nobody. A thread has one target at a time, so that this concerns no other one, and no library has to offer a place
 * for it: `nats` has none.
 */
export function limitReceivedBytes(onExcess: () => void): void {
  Socket.prototype.push = function push(this: Socket, chunk: Uint8Array | null, encoding?: BufferEncoding) {
    left -= chunk?.length ?? 0;
    if (left >= 0) return Readable.prototype.push.call(this, chunk, encoding);
    onExcess();
    this.destroy();
    return false;
  };
}
