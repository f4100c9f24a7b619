import { z } from 'zod';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { TestDatabase } from '../servers/database.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const PlanNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().optional(),
    Plans: z.array(PlanNode).optional(),
  }),
);
const Explained = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: PlanNode })) }));

/** Runs queries and counts the rows that they read of each table. Chunks of samples count as `sample`. */
export function countingRows(database: TestDatabase): { on: Queryable; read: Map<string, number> } {
  const read = new Map<string, number>();
  const add = (node: PlanNode): void => {
    const table = node['Relation Name']?.replace(/^_hyper_.*/, 'sample');
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (table !== undefined) read.set(table, (read.get(table) ?? 0) + Math.round(rows));
    for (const child of node.Plans ?? []) add(child);
  };
  const on: Queryable = {
    async query(statement, values = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const plan = await database.query(`explain (analyze, timing off, format json) ${text}`, values);
      for (const row of Explained.parse(plan)) for (const { Plan } of row['QUERY PLAN']) add(Plan);
      return database.query(text, values);
    },
  };
  return { on, read };
}
