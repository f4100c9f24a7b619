import type { TargetErrorCode } from '../../../domain/destinations/target-errors.ts';
import type { StreamOpening } from '../targets/jetstream/stream-connection.ts';
import type { DatabaseOpening } from '../targets/postgres/database-connection.ts';
import type { BucketOpening } from '../targets/s3/bucket-connection.ts';

/** What a connection is opened with. */
export type Opening =
  | { readonly kind: 's3'; readonly bucket: BucketOpening }
  | { readonly kind: 'jetstream'; readonly stream: StreamOpening }
  | { readonly kind: 'postgres'; readonly database: DatabaseOpening };

/** What a thread is to do. */
export type Work =
  | { readonly kind: 'ping' | 'close' }
  | { readonly kind: 'open'; readonly opening: Opening }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly unknown[] };

/** A request to a thread. */
export interface Request {
  readonly id: number;
  readonly work: Work;
  /** What the target may send from now on until another request. */
  readonly allowedBytes: number;
}

/** What a thread sends: a result, a failure with the frames of the stack of its cause, or that the target has sent too much. */
export type Reply =
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly reason: TargetErrorCode;
      readonly frames: readonly string[];
    }
  | { readonly kind: 'too_large' };
