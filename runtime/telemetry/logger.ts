import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { SpanContext } from '@opentelemetry/api';
import { type BrokerOptions, type Logger, Loggers } from 'moleculer';
import type { LogFn, LoggerOptions, StreamEntry } from 'pino';
import type { Config } from '../../config.ts';

type Arguments = readonly unknown[];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

interface Bindings {
  readonly mod?: string;
  readonly nodeID?: string;
}

/** Entries have `time`, `level`, `service`, `node`, `event` and the event's own fields, so that a log store can search them. */
const json: LoggerOptions = {
  base: null,
  messageKey: 'event',
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: {
    level: (level) => ({ level }),
    // pino would write both, and a reader would take the last one.
    log: ({ time, level, service, node, event, ...own }) => own,
  },
  hooks: {
    // Moleculer's order is event, fields; pino's is fields, event.
    logMethod([event, fields, ...rest]: Arguments, write: LogFn) {
      const own = isPlain(fields) ? fields : {};
      const more = fields === undefined || own === fields ? rest : [fields, ...rest];
      const said = more.length === 0 ? own : { ...own, more: more.map(textOf) };
      write.call(this, said, textOf(event));
    },
  },
};

/** The logger of a broker: text for people, or a line of JSON for each entry (LOG_FORMAT=json). */
export function loggerOptions({ LOG_FORMAT, LOG_LEVEL }: Config): NonNullable<BrokerOptions['logger']> {
  if (LOG_FORMAT === 'short')
    return new JoinedConsole({ level: LOG_LEVEL, formatter: 'short', colors: true });
  const { pino }: typeof import('pino') = createRequire(import.meta.url)('pino'); // loaded only if it is used
  const root = pino(json, pino.multistream(outputs, { dedupe: true }));
  const createLogger = (level: string, { mod, nodeID }: Bindings) =>
    root.child({ service: mod, node: nodeID }, { level });
  return { type: 'Pino', options: { createLogger } };
}

/** Warnings and errors go to stderr, as with Moleculer's logger for the console. */
const outputs: StreamEntry[] = [
  { level: 'trace', stream: { write: (line) => console.log(line.trimEnd()) } },
  { level: 'warn', stream: { write: (line) => console.error(line.trimEnd()) } },
];

/** A logger that adds the ids of the request and of the span to every entry. Returns the logger itself without a request. */
export function loggerFor(logger: Logger, requestId: string | null | undefined, span?: SpanContext): Logger {
  if (typeof requestId !== 'string') return logger;
  const traced = span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
  return new RequestLogger(logger, { request_id: requestId, ...traced });
}

/** Each action of a request has one, and few log. */
class RequestLogger implements Logger {
  readonly #logger: Logger;
  readonly #ids: object;

  constructor(logger: Logger, ids: object) {
    this.#logger = logger;
    this.#ids = ids;
  }

  fatal(...given: Arguments) {
    this.#log('fatal', given);
  }
  error(...given: Arguments) {
    this.#log('error', given);
  }
  warn(...given: Arguments) {
    this.#log('warn', given);
  }
  info(...given: Arguments) {
    this.#log('info', given);
  }
  debug(...given: Arguments) {
    this.#log('debug', given);
  }
  trace(...given: Arguments) {
    this.#log('trace', given);
  }

  #log(level: Level, [event, fields, ...more]: Arguments): void {
    const own = typeof fields === 'object' && fields !== null ? fields : {};
    const rest = fields === undefined || own === fields ? more : [fields, ...more];
    this.#logger[level](event, { ...this.#ids, ...own }, ...rest);
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}

const joinedMs = 60_000;

/**
 * The logger for people. Of equal warnings within a minute the first is printed, and their number at the end of it: a busy machine repeats
 * some hundreds of times that a call took too long. Numbers in a text do not make it another one.
 */
class JoinedConsole extends Loggers.Console {
  readonly #repeated = new Map<string, number>();

  override getLogHandler(bindings: Parameters<Loggers.Console['getLogHandler']>[0]) {
    const write = super.getLogHandler(bindings);
    if (write === null) return null;
    return (type: Parameters<typeof write>[0], said: Parameters<typeof write>[1]) => {
      if (type !== 'warn') return write(type, said);
      const key = `${bindings?.mod} ${String(said[0]).replaceAll(/\d+/g, '#')}`;
      const before = this.#repeated.get(key);
      this.#repeated.set(key, (before ?? -1) + 1);
      if (before !== undefined) return;
      write(type, said);
      setTimeout(() => {
        const times = this.#repeated.get(key) ?? 0;
        this.#repeated.delete(key);
        if (times > 0) write(type, [`${said[0]} (${times} times more within a minute)`]);
      }, joinedMs).unref();
    };
  }
}
