import { SingleBar } from 'cli-progress';

/** A bar in a terminal; in a log file a line each tenth of the way. */
export interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** Begins to show how far something is; `unit` is what is counted. */
export function progressOf(title: string, unit: string, say: (line: string) => void): Progress {
  return process.stdout.isTTY ? barOf(title, unit) : linesOf(title, unit, say);
}

function linesOf(title: string, unit: string, say: (line: string) => void): Progress {
  let shown = -1;
  return {
    update(done, total) {
      const tenth = Math.floor((done / Math.max(1, total)) * 10);
      if (tenth === shown) return;
      shown = tenth;
      say(`  ${title}: ${done} of ${total} ${unit}`);
    },
    stop: () => undefined,
  };
}

function barOf(title: string, unit: string): Progress {
  const bar = new SingleBar({ format: `  ${title} {bar} {value}/{total} ${unit}`, hideCursor: true });
  bar.start(1, 0);
  return {
    update(done, total) {
      bar.setTotal(Math.max(1, total));
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
