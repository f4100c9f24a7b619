import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { TestDatabase } from '../servers/database.ts';

/** Runs queries and records their plans: for their values, and if named also the generic plan. */
export function explaining(database: TestDatabase, plans: string[]): Queryable {
  const note = async (text: string, explain: string, values: readonly unknown[]) => {
    const rows = await database.query<{ 'QUERY PLAN': string }>(`${explain} ${text}`, values);
    plans.push(`${text}\n${rows.map((row) => row['QUERY PLAN']).join('\n')}`);
  };
  return {
    async query(statement: Statement, values: readonly unknown[] = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      await note(text, 'explain', values);
      // a named statement may be planned once for all values
      if (typeof statement !== 'string') await note(text, 'explain (generic_plan)', []);
      return database.query(text, values);
    },
  };
}

/** The plans that read one of these tables, or a chunk of samples, from end to end. */
export function wholeScans(plans: readonly string[], tables: readonly string[]): string[] {
  const scan = new RegExp(`Seq Scan on (_hyper_\\S+_chunk|${tables.join('|')})\\b`);
  return plans.filter((plan) => scan.test(plan));
}
