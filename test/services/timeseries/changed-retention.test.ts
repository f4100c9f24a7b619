import t from 'tap';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { changeRetention } from '../../../services/timeseries/actions/retention.ts';
import { selectRules } from '../../../services/timeseries/tables/retention.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const origin = systemOrigin('test');

t.test('two changes at once of a project without a rule are both kept', async (t) => {
  const projects = Array.from({ length: 20 }, (_, n) => `project-${n}`);
  for (const project of projects)
    await Promise.all([
      changeRetention(database, project, { samples_days: 90 }, origin),
      changeRetention(database, project, { events_days: 365 }, origin),
    ]);
  const both = projects.map((project) => [project, { samples_days: 90, events_days: 365 }] as const);
  t.strictSame(await selectRules(database), new Map(both));
});
