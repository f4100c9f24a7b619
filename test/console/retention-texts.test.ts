import t from 'tap';
import { retentionChange, textsOfRule } from '../../console/src/retention-texts.ts';

t.test('the fields of a rule make the same rule', async (t) => {
  const rule = { samples: { default_days: 730, types: { heart_rate: 90, weight: null } }, events_days: null };
  const texts = textsOfRule({ ...rule, installation_days: null, updated_at: null });
  t.strictSame(texts, { samples: '730', events: '', types: 'heart_rate 90, weight all' });
  t.strictSame(retentionChange(texts), rule);
  const empty = { samples: ' ', events: 'all', types: '' };
  t.strictSame(retentionChange(empty), { samples: { default_days: null, types: {} }, events_days: null });
});

t.test('a wrong field is a sentence', async (t) => {
  const valid = { samples: '', events: '', types: '' };
  const wrong = [
    [{ samples: '0' }, '0 is not a number of days from 1 on.'],
    [{ events: '-5' }, '-5 is not a number of days from 1 on.'],
    [{ types: 'hart_rate 9' }, 'There is no series type hart_rate.'],
    [{ types: 'steps' }, 'Write the days after the type: steps 90.'],
  ] as const;
  for (const [fields, message] of wrong)
    t.throws(() => retentionChange({ ...valid, ...fields }), { message }, message);
});
