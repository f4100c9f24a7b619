import { SingleBar } from 'cli-progress';

/** A bar in a terminal; in a log file a line a minute, and one at the end. */
export interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** Begins to show how far something is; `unit` is what is counted. */
export function progressOf(title: string, unit: string, say: (line: string) => void): Progress {
  return process.stdout.isTTY ? barOf(title, unit) : linesOf(title, unit, say);
}

const lineEveryMs = 60_000;

function linesOf(title: string, unit: string, say: (line: string) => void): Progress {
  let saidMs = -lineEveryMs;
  return {
    update(done, total) {
      const now = performance.now();
      if (done < total && now < saidMs + lineEveryMs) return;
      saidMs = now;
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
