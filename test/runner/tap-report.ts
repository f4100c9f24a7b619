/** What one test file reported. */
export interface FileReport {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** The failed assertions with their explanation, the subtests without any, the tests marked `only`. */
  readonly problems: readonly string[];
}

/** Begins a line after the results: a file, or a place in it (`file:line`), with what is wrong there after `: `. */
export const complaintMark = '# wrong: ';

const longestProblem = 4000;
const subtest = /^( *)# Subtest: (.*)$/;
const result = /^( *)(not )?ok \d+(?: - )?(.*)$/;
const onlyMark = /^ +# "(.*)" has `only` set/;

/** Cuts TAP into test files while it comes in. */
export class TapSplitter {
  #lines: string[] = [];
  #ended = false;

  /** Takes one line; returns the lines of a file that is complete by it. */
  push(line: string): readonly string[] | null {
    const next = this.#ended && !/^ {2}/.test(line) ? this.end() : null;
    this.#lines.push(line);
    if (/^(not )?ok /.test(line)) this.#ended = true;
    return next ?? (/^ok /.test(line) ? this.end() : null);
  }

  /** Returns the lines of the last file; null if it has no result. */
  end(): readonly string[] | null {
    const lines = this.#ended ? this.#lines : null;
    if (lines !== null) this.#lines = [];
    this.#ended = false;
    return lines;
  }

  /** The lines that belong to no result. */
  get rest(): readonly string[] {
    return this.#lines;
  }
}

/** The report of a file for a line that begins with `complaintMark`; null for any other line. */
export function reportOfComplaint(line: string): FileReport | null {
  if (!line.startsWith(complaintMark)) return null;
  const complaint = line.slice(complaintMark.length);
  const [file = ''] = complaint.split(':');
  return { file, passed: 0, failed: 1, seconds: 0, problems: [`not ok - ${complaint}`] };
}

/** The report of a file in which its process ended; `lines` is what it wrote before, `end` says how it ended. */
export function reportOfEnded(file: string, lines: readonly string[], end: string): FileReport {
  const report = reportOf([...lines, `not ok - ${file}`]);
  const problem = `not ok - ${file}: its process ended (${end})`;
  return { ...report, file, failed: report.failed + 1, problems: [...report.problems, problem] };
}

/**
 * Reads the lines of one test file, its own result the last of them. A subtest in which nothing was asserted is a
 * failure, and so is one marked `only`.
 */
export function reportOf(lines: readonly string[]): FileReport {
  const reading: Reading = { open: [], problems: [], passed: 0, file: '', seconds: 0 };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const begun = subtest.exec(line);
    if (begun !== null)
      reading.open.push({ indent: begun[1]?.length ?? 0, name: begun[2] ?? '', results: 0 });
    const only = onlyMark.exec(line);
    if (only !== null) reading.problems.push(`not ok - marked only: ${only[1]}`);
    const found = result.exec(line);
    if (found === null) continue;
    const explanation = explanationAfter(lines, at);
    at += explanation.length;
    takeResult(reading, found, [line, ...explanation].join('\n').slice(0, longestProblem));
  }
  const { file, passed, seconds, problems } = reading;
  return { file, passed, failed: problems.length, seconds, problems };
}

interface Reading {
  readonly open: { readonly indent: number; readonly name: string; results: number }[];
  readonly problems: string[];
  passed: number;
  file: string;
  seconds: number;
}

function takeResult(reading: Reading, [, margin = '', not, name = '']: RegExpExecArray, text: string): void {
  const { open, problems } = reading;
  const failed = not !== undefined || /# (SKIP|TODO)\b/i.test(name);
  // A process that was killed leaves its subtests without a result.
  while ((open.at(-1)?.indent ?? -1) > margin.length) {
    open.pop();
    const around = open.at(-1);
    if (around !== undefined) around.results += 1;
  }
  const ended = open.at(-1)?.indent === margin.length ? open.pop() : undefined;
  const parent = open.at(-1);
  if (parent !== undefined) parent.results += 1;
  if (ended === undefined && failed) problems.push(text);
  if (ended === undefined && !failed) reading.passed += 1;
  if (ended !== undefined && ended.results === 0 && !failed)
    problems.push(`not ok - asserts nothing: ${ended.name}`);
  if (margin !== '') return;
  reading.file = ended?.name ?? name;
  reading.seconds = Number(/# time=([\d.]+)ms/.exec(name)?.[1] ?? 0) / 1000;
  if (/^ {2}signal: SIG/m.test(text) || (failed && problems.length === 0)) problems.push(text);
}

// The YAML block under a result; what it quotes may look like results.
function explanationAfter(lines: readonly string[], at: number): readonly string[] {
  const margin = `${/^ */.exec(lines[at] ?? '')?.[0]}  `;
  if (lines[at + 1] !== `${margin}---`) return [];
  const length = lines.slice(at + 1).indexOf(`${margin}...`);
  return length < 0 ? [] : lines.slice(at + 1, at + 2 + length);
}
