import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type FileReport, reportOf, TapSplitter } from './tap-report.ts';

/** Which test files a run must report, and how many there must be at least. */
interface Expected {
  readonly files: readonly string[];
  readonly least: number;
}

/** Adds up the test files of one run. Files that are expected and not reported count as failed. */
export class Tally {
  readonly #expected: Expected;
  readonly #reports: FileReport[] = [];

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /** Reads a run's TAP to its end; `print` gets each file's line, and its problems, when the file ends. */
  async readAll(tap: Readable, print: (text: string) => void): Promise<void> {
    const splitter = new TapSplitter();
    const take = (lines: readonly string[] | null) => {
      if (lines === null) return;
      const report = reportOf(lines);
      this.#reports.push(report);
      print(textOf(report));
    };
    for await (const line of createInterface({ input: tap, crlfDelay: Number.POSITIVE_INFINITY }))
      take(splitter.push(line));
    take(splitter.end());
  }

  /** What the lines of the files did not say: files without a result, too few files. */
  problems(): string[] {
    return [...this.#missing().map((file) => `not ok - ${file} has no result`), ...this.#shortfall()];
  }

  /** What each file reported that ended. */
  get reports(): readonly FileReport[] {
    return this.#reports;
  }

  /** Assertions that passed and everything that failed; `code` is what tap ended with. */
  count(code: number): { readonly passed: number; readonly failed: number } {
    const sum = (name: 'passed' | 'failed') => this.#reports.reduce((total, one) => total + one[name], 0);
    const failed = sum('failed') + this.#missing().length + this.#shortfall().length;
    return { passed: sum('passed'), failed: Math.max(failed, code === 0 ? 0 : 1) };
  }

  #missing(): string[] {
    const seen = new Set(this.#reports.map(({ file }) => file));
    return this.#expected.files.filter((file) => !seen.has(file));
  }

  #shortfall(): string[] {
    const { files, least } = this.#expected;
    return files.length >= least
      ? []
      : [`not ok - ${files.length} test files were found, at least ${least} are expected`];
  }
}

function textOf({ file, passed, failed, problems }: FileReport): string {
  const line = `${failed > 0 ? 'not ok' : 'ok'} - ${file}: ${passed} passed, ${failed} failed`;
  return [line, ...problems].join('\n');
}
