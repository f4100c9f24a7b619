import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { fieldOf } from '../domain/error-code.ts';

/**
 * Bodies and files whose reading would block the event loop are read in a thread, which is bounded in memory and in time. There is one
 * per process for each kind: the database stores at a tenth of its reading speed, and a second thread would double the memory. It opens
 * an input, answers with its head, and makes pieces only when they are asked for, so that the amount in transit is bounded. Both sides
 * are here: `threadReader`, and `serveReadings` for the module that the thread runs.
 */

/** An input as the thread has opened it. */
interface Reading<Head, Question, Piece> {
  readonly head: Head;
  /** The pieces of the input that answer a question. */
  pieces(question: Question): Pieces<Piece>;
}

type Pieces<Piece> = Iterator<Piece, void> | AsyncIterator<Piece, void>;

/** The same as the main thread has it. */
export interface ThreadReading<Head, Question, Piece> {
  readonly head: Head;
  /** A piece is prepared while the one before is in use. @throws ReadingEnded */
  pieces(question: Question): AsyncGenerator<Piece, void, undefined>;
  /** Frees the input. Call it after reading. */
  close(): void;
}

interface ThreadSettings {
  /** The module that calls `serveReadings`. */
  readonly module: URL;
  /** A thread beyond its heap ends without ending the process. */
  readonly resourceLimits: ResourceLimits;
  /** The longest time without an answer. The garbage collector of a thread that is out of memory may run for minutes before it ends. */
  readonly longestMs: number;
}

/** The input is refused. The message may be shown, unlike that of another error, which may quote the input. */
export class InputRefused extends Error {}

/** The thread ended. `exceeded`: the bound that this reading broke; null if another one did, and for another cause. */
export class ReadingEnded extends Error {
  readonly exceeded: 'memory' | 'time' | null;

  constructor(exceeded: ReadingEnded['exceeded'], cause: unknown) {
    super('the reading thread ended', { cause });
    this.exceeded = exceeded;
  }
}

/** The first request for a piece of a stream has its question. */
type Request<Input, Question> =
  | { readonly kind: 'open'; readonly input: Input }
  | {
      readonly kind: 'next';
      readonly stream: number;
      readonly begin: { readonly question: Question } | null;
    };

interface Asked<Input, Question> {
  readonly id: number;
  readonly reading: number;
  /** Null closes the reading, without an answer. */
  readonly request: Request<Input, Question> | null;
}

/** `failed` is the name of an error. */
type Answer<Head, Piece> =
  | { readonly head: Head }
  | { readonly piece: IteratorResult<Piece, void> }
  | { readonly refused: string }
  | { readonly failed: string };

interface Answered<Head, Piece> {
  readonly id: number;
  readonly answer: Answer<Head, Piece>;
}

/** A thread that has read more is replaced, to return its memory. */
const wornBytes = 16 * 1024 * 1024;
const idleMs = 30_000;

/** Opens inputs in a thread, which starts with the first of them. `bytes` is the size of the input. */
export function threadReader<Input, Head, Question, Piece>(settings: ThreadSettings) {
  let thread: ReadingThread<Input, Head, Question, Piece> | null = null;
  return (input: Input, bytes: number, transferred: readonly Transferable[] = []) => {
    if (thread === null || thread.isOver) thread = new ReadingThread(settings);
    return thread.open(input, bytes, transferred);
  };
}

class ReadingThread<Input, Head, Question, Piece> {
  /** It takes no further input. */
  isOver = false;
  readonly #worker: Worker;
  readonly #longestMs: number;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer<Head, Piece>>>();
  #readings = 0;
  #lastId = 0;
  #isWorn = false;
  #idle: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor({ module, resourceLimits, longestMs }: ThreadSettings) {
    this.#longestMs = longestMs;
    this.#worker = new Worker(module, { resourceLimits });
    this.#worker.on('message', ({ id, answer }: Answered<Head, Piece>) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
      this.#watchAnswer();
    });
    this.#worker.on('error', (error) =>
      this.#fail(fieldOf(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : null, error),
    );
    this.#worker.on('exit', () => this.#fail(null));
  }

  async open(
    input: Input,
    bytes: number,
    transferred: readonly Transferable[],
  ): Promise<ThreadReading<Head, Question, Piece>> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    this.#readings += 1;
    this.#isWorn ||= bytes > wornBytes;
    const reading = this.#nextId();
    let isOpen = true;
    const close = () => {
      if (isOpen) this.#close(reading);
      isOpen = false;
    };
    try {
      const answer = await this.#ask(reading, { kind: 'open', input }, transferred);
      if (!('head' in answer)) throw new Error('the reading thread sent no head');
      return { head: answer.head, pieces: (question) => this.#pieces(reading, question), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  async *#pieces(reading: number, question: Question): AsyncGenerator<Piece, void, undefined> {
    const stream = this.#nextId();
    const next = (begin: { question: Question } | null) => {
      const answer = this.#ask(reading, { kind: 'next', stream, begin });
      answer.catch(() => undefined); // the consumer may end before it takes the piece
      return answer;
    };
    for (let ahead = next({ question }); ; ) {
      const answer = await ahead;
      if (!('piece' in answer)) throw new Error('the reading thread sent no piece');
      if (answer.piece.done) return;
      ahead = next(null);
      yield answer.piece.value;
    }
  }

  // Each answer has a promise of its own: a race with one that lives as long as the thread would keep all pieces in memory.
  async #ask(
    reading: number,
    request: Request<Input, Question>,
    transferred: readonly Transferable[] = [],
  ): Promise<Answer<Head, Piece>> {
    if (this.isOver) throw new ReadingEnded(null, undefined);
    const id = this.#nextId();
    const answered = Promise.withResolvers<Answer<Head, Piece>>();
    this.#waiting.set(id, answered);
    if (this.#waiting.size === 1) this.#watchAnswer();
    this.#send({ id, reading, request }, transferred);
    const answer = await answered.promise;
    if ('refused' in answer) throw new InputRefused(answer.refused);
    if ('failed' in answer) throw new Error(`the reading thread failed: ${answer.failed}`);
    return answer;
  }

  #send(asked: Asked<Input, Question>, transferred: readonly Transferable[] = []): void {
    this.#worker.postMessage(asked, [...transferred]);
  }

  #watchAnswer(): void {
    clearTimeout(this.#watch);
    if (this.#waiting.size > 0) this.#watch = setTimeout(() => this.#end('time'), this.#longestMs).unref();
  }

  // Requests are answered in order: the oldest pending one was in work when the thread ended.
  #fail(exceeded: ReadingEnded['exceeded'], cause?: unknown): void {
    this.isOver = true;
    clearTimeout(this.#watch);
    for (const [index, { reject }] of [...this.#waiting.values()].entries())
      reject(new ReadingEnded(index === 0 ? exceeded : null, cause));
    this.#waiting.clear();
  }

  #end(exceeded: ReadingEnded['exceeded']): void {
    this.#fail(exceeded);
    void this.#worker.terminate();
  }

  // Without an input the thread does not keep the process alive, and ends soon.
  #close(reading: number): void {
    this.#readings -= 1;
    if (!this.isOver) this.#send({ id: this.#nextId(), reading, request: null });
    if (this.#readings > 0) return;
    this.#worker.unref();
    if (this.#isWorn) this.#end(null);
    else this.#idle = setTimeout(() => this.#end(null), idleMs).unref();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

interface Opened<Head, Question, Piece> {
  readonly reading: Reading<Head, Question, Piece>;
  readonly streams: Map<number, Pieces<Piece>>;
}

/** Answers requests in the thread, one after the other. */
export function serveReadings<Input, Head, Question, Piece>(
  open: (input: Input) => Reading<Head, Question, Piece> | Promise<Reading<Head, Question, Piece>>,
): void {
  const inputs = new Map<number, Opened<Head, Question, Piece>>();
  const answerTo = async (input: number, request: Request<Input, Question>): Promise<Answer<Head, Piece>> => {
    if (request.kind === 'open') {
      const reading = await open(request.input);
      inputs.set(input, { reading, streams: new Map() });
      return { head: reading.head };
    }
    const { reading, streams } = inputs.get(input) ?? {};
    if (request.begin !== null && reading !== undefined)
      streams?.set(request.stream, reading.pieces(request.begin.question));
    const stream = streams?.get(request.stream);
    if (stream === undefined) throw new Error('the input was closed');
    const piece = await stream.next();
    if (piece.done) streams?.delete(request.stream);
    return { piece };
  };
  let last: Promise<unknown> = Promise.resolve();
  parentPort?.on('message', ({ id, reading, request }: Asked<Input, Question>) => {
    last = last.then(async () => {
      if (request === null) return inputs.delete(reading);
      const answer = await answerTo(reading, request).catch(failureOf);
      parentPort?.postMessage({ id, answer });
    });
  });
}

function failureOf(error: unknown): { readonly refused: string } | { readonly failed: string } {
  if (error instanceof InputRefused) return { refused: error.message };
  return { failed: error instanceof Error ? error.constructor.name : 'unknown' };
}
