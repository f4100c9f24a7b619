import { Loggers } from 'moleculer';

const joinedMs = 60_000;

/**
 * The logger for people. Of equal warnings within a minute the first is printed, and their number at the end of it: a busy machine repeats
 * some hundreds of times that a call took too long. Numbers in a text do not make it another one.
 */
export class JoinedConsole extends Loggers.Console {
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
