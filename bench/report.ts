import { cpus, totalmem } from 'node:os';
import type { Row } from './row.ts';

/** A section of the report. */
export interface Section {
  readonly title: string;
  /** A short description of the method. */
  readonly about: string;
  readonly rows: readonly Row[];
}

/** The report as Markdown. */
export function reportOf(head: string, sections: readonly Section[]): string {
  return [head, ...sections.map(sectionText), countText(sections)].join('\n\n');
}

/** A line with the date and the machine. */
export function machineLine(now: Date): string {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const cores = `${cpus().length} cores (${first?.model.trim() ?? 'unknown'}), ${gigabytes} GB`;
  return `${now.toISOString().slice(0, 10)}, ${cores}, Node ${process.versions.node}; load, services and database share them.`;
}

function sectionText({ title, about, rows }: Section): string {
  const head = '| | A | B | A / B | goal | |\n|---|---|---|---|---|---|';
  const lines = rows.map(
    ({ what, a, b, ratio = '', goal = '', verdict = '' }) =>
      `| ${[what, a, b, ratio, goal, verdict === 'missed' ? '**missed**' : verdict].join(' | ')} |`,
  );
  return `### ${title}\n\n${about}\n\n${[head, ...lines].join('\n')}`;
}

function countText(sections: readonly Section[]): string {
  const rows = sections.flatMap((section) => section.rows);
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
  return `${count('met')} goals met, ${count('missed')} missed.`;
}
