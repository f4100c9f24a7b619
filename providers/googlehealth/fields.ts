import type { FieldTable } from '../../domain/provider/field-table.ts';
import { exercise } from './exercise.ts';
import { sampledFields, summedRecord } from './records.ts';
import { runVo2Max, sampled, summed } from './rows.ts';
import { sleep } from './sleep.ts';

/** The fields of all data types. */
export const fields: Readonly<Record<string, FieldTable>> = {
  ...Object.fromEntries(summed.map((row) => [row.type, summedRecord(row).fields])),
  ...Object.fromEntries([...sampled, runVo2Max].map((row) => [row.type, sampledFields(row)])),
  ...{ sleep: sleep.fields, exercise: exercise.fields },
};
