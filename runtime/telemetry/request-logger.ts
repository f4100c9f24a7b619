import type { Logger } from 'moleculer';

type Arguments = readonly unknown[];

/** A logger that adds the request id to every entry. Returns the logger itself without a request. */
export function loggerFor(logger: Logger, requestId: string | null | undefined): Logger {
  return typeof requestId === 'string' ? new RequestLogger(logger, requestId) : logger;
}

// One small object per call, because Moleculer's loggers are closures of a service without fields per call.
class RequestLogger {
  readonly #logger: Logger;
  readonly #requestId: string;

  constructor(logger: Logger, requestId: string) {
    this.#logger = logger;
    this.#requestId = requestId;
  }

  fatal(...given: Arguments) {
    this.#logger.fatal(...this.#named(given));
  }

  error(...given: Arguments) {
    this.#logger.error(...this.#named(given));
  }

  warn(...given: Arguments) {
    this.#logger.warn(...this.#named(given));
  }

  info(...given: Arguments) {
    this.#logger.info(...this.#named(given));
  }

  debug(...given: Arguments) {
    this.#logger.debug(...this.#named(given));
  }

  trace(...given: Arguments) {
    this.#logger.trace(...this.#named(given));
  }

  // Events are logged as a name and its fields.
  #named([event, fields, ...more]: Arguments): unknown[] {
    const own = typeof fields === 'object' && fields !== null ? fields : {};
    const rest = fields === undefined || own === fields ? more : [fields, ...more];
    return [event, { request_id: this.#requestId, ...own }, ...rest];
  }
}
