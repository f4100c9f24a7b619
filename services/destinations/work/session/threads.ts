import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TargetError, type TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';
import { fieldOf } from '../../../../domain/error-code.ts';
import { threadHeapMb } from '../../../../runtime/thread-heap.ts';
import type { StreamOpening } from '../targets/jetstream/connection.ts';
import type { DatabaseOpening } from '../targets/postgres/connection.ts';
import type { BucketOpening } from '../targets/s3/connection.ts';

/**
 * Threads that talk to targets: each has one target at a time, and ends with it unless no socket is left. One thread for all would let
 * a target stop the others. A process for each has 60 MB (26 MB with its share of what processes have in common) instead of 10 to 15,
 * and would bound no more: Buffers, which a thread's limits do not concern, are bounded by the received bytes.
 */
export interface TargetThreads {
  take(): TargetThread;
  /** Keeps a thread without a target for another one. */
  giveBack(thread: TargetThread): void;
  stop(): Promise<void>;
}

/** A thread. */
export interface TargetThread {
  /** @throws TargetError, that of `end` too */
  request(work: Work, allowedBytes: number, transferred?: readonly ArrayBuffer[]): Promise<unknown>;
  /** Ends the thread with its sockets. What it works on fails with the reason. */
  end(reason: TargetErrorCode | 'stopped'): Promise<void>;
}

/** Beyond its heap a thread ends. Buffers are outside of it: they are bounded by the bytes that a target may send. */
const resourceLimits = { maxOldGenerationSizeMb: threadHeapMb(64), maxYoungGenerationSizeMb: 8 };
/** Threads that are kept for another target, and for how long. */
const mostKept = 4;
const keptMs = 30_000;
/** Targets that a thread serves, so that nothing that they leave in its memory adds up. */
const mostTargets = 100;

/** Creates no thread before one is taken. */
export function newTargetThreads(): TargetThreads {
  const kept = new Map<TargetThread, NodeJS.Timeout>();
  const targets = new WeakMap<TargetThread, number>();
  const drop = async (thread: TargetThread) => {
    clearTimeout(kept.get(thread));
    kept.delete(thread);
    await thread.end('stopped');
  };
  return {
    take() {
      const [thread] = [...kept.keys()].slice(-1);
      if (thread === undefined) return newThread();
      clearTimeout(kept.get(thread));
      kept.delete(thread);
      return thread;
    },
    giveBack(thread) {
      const served = (targets.get(thread) ?? 0) + 1;
      targets.set(thread, served);
      if (served >= mostTargets) return void thread.end('stopped');
      kept.set(thread, setTimeout(drop, keptMs, thread));
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) void drop(oldest);
    },
    stop: async () => void (await Promise.all([...kept.keys()].map(drop))),
  };
}

/** The folder of compiled code. Without it each thread loads the TypeScript compiler, which takes 20 MB and 40 ms. */
const compiled = getCompileCacheDir();
const env = compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };

function newThread(): TargetThread {
  const worker = new Worker(new URL('./session.worker.ts', import.meta.url), { resourceLimits, env });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let ended: TargetError | null = null;
  const fail = (error: TargetError) => {
    ended ??= error;
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };
  const end = async (reason: TargetErrorCode | 'stopped') => {
    fail(new TargetError(reason));
    await worker.terminate();
  };
  worker.on('message', (reply: Reply) => {
    if (reply.kind === 'too_large') return void end('answer_too_large');
    const request = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.kind === 'value') request?.resolve(reply.value);
    else request?.reject(new TargetError(reply.reason, { frames: reply.frames }));
  });
  worker.on('error', (error) => {
    const isMemory = fieldOf(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY';
    fail(new TargetError(isMemory ? 'answer_too_costly' : 'answer_invalid', error));
  });
  worker.on('exit', () => fail(new TargetError('cut_off')));
  return {
    request(work, allowedBytes, transferred = []) {
      if (ended !== null) return Promise.reject(ended);
      last += 1;
      const request: Request = { id: last, work, allowedBytes };
      const result = Promise.withResolvers<unknown>();
      pending.set(last, result);
      worker.postMessage(request, transferred);
      return result.promise;
    },
    end,
  };
}

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
