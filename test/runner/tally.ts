import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type FileReport, reportOf, reportOfComplaint, TapSplitter } from './tap-report.ts';

/** Which test files a run must report, and those that it should have and has not. */
interface Expected {
  readonly files: readonly string[];
  readonly lost: readonly string[];
}

/** Adds up the test files of one run. Files that are expected and not reported count as failed. */
export class Tally {
  readonly #expected: Expected;
  readonly #reports: FileReport[] = [];

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /**
   * Reads the TAP of one process to its end; `print` gets each file's line, and its problems, when the file ends.
   * Returns the lines after the last result: those of a file in which the process ended.
   */
  async readAll(tap: Readable, print: (text: string) => void): Promise<readonly string[]> {
    const splitter = new TapSplitter();
    const take = (lines: readonly string[] | null) => {
      if (lines !== null) this.add(reportOf(lines), print);
    };
    for await (const line of createInterface({ input: tap, crlfDelay: Number.POSITIVE_INFINITY }))
      take(splitter.push(line));
    take(splitter.end());
    for (const line of splitter.rest) {
      const report = reportOfComplaint(line);
      if (report !== null) this.add(report, print);
    }
    return splitter.rest;
  }

  /** Adds the report of one file. */
  add(report: FileReport, print: (text: string) => void): void {
    this.#reports.push(report);
    print(textOf(report));
  }

  /** The files among some that have no report yet. */
  missingOf(files: readonly string[]): string[] {
    const seen = new Set(this.#reports.map(({ file }) => file));
    return files.filter((file) => !seen.has(file));
  }

  /** Whether a report of some files has failures. */
  hasFailed(files: readonly string[]): boolean {
    return this.#reports.some(({ file, failed }) => failed > 0 && files.includes(file));
  }

  /** Failures that no file reported: files without a result, files that were not found. */
  problems(): string[] {
    return [
      ...this.missingOf(this.#expected.files).map((file) => `not ok - ${file} has no result`),
      ...this.#expected.lost.map((file) => `not ok - ${file} is no file of this run`),
    ];
  }

  /** What each file reported that ended. */
  get reports(): readonly FileReport[] {
    return this.#reports;
  }

  /** Assertions that passed and everything that failed; `code` is what tap ended with. */
  count(code: number): { readonly passed: number; readonly failed: number } {
    const sum = (name: 'passed' | 'failed') => this.#reports.reduce((total, one) => total + one[name], 0);
    const missing = this.missingOf(this.#expected.files);
    const failed = sum('failed') + missing.length + this.#expected.lost.length;
    return { passed: sum('passed'), failed: Math.max(failed, code === 0 ? 0 : 1) };
  }
}

function textOf({ file, passed, failed, problems }: FileReport): string {
  const line = `${failed > 0 ? 'not ok' : 'ok'} - ${file}: ${passed} passed, ${failed} failed`;
  return [line, ...problems].join('\n');
}
