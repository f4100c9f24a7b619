import t from 'tap';
import { z } from 'zod';
import { action, contract } from '../../domain/contract.ts';
import { answerProblems, implement } from '../../runtime/implement.ts';
import { startBroker } from '../support/servers/broker.ts';

const Item = z.object({ id: z.string(), steps: z.int().nullable() });
const List = z.object({ items: z.array(Item), total: z.int() });

t.test('names fields that are missing, of another type, or not in the contract, and no values', async (t) => {
  t.strictSame(answerProblems(List, { items: [{ id: 'a', steps: null }], total: 1 }), []);
  t.strictSame(answerProblems(List, { items: [], total: 1, note: undefined }), []);
  const wrong = answerProblems(List, { items: [{ id: 'a', steps: 'planted' }] });
  t.match(wrong, [/^items\.0\.steps: /, /^total: /]);
  t.notMatch(wrong.join(), 'planted');
  t.strictSame(answerProblems(List, { items: [{ id: 'a', steps: 1, email: 'planted' }], total: 1 }), [
    'items.0.email: is not in the contract',
  ]);
  t.match(answerProblems(List, null), [/^the answer: /]);
});

t.test('an answer of another shape is logged only with CHECK_ANSWERS', async (t) => {
  const steps = contract('steps', {
    count: action({ summary: 'Count', params: z.object({}), returns: z.object({ steps: z.int() }) }),
  });
  const answer = { steps: 7, weight: 70 };
  const service = implement(steps, { actions: { count: () => answer } });
  for (const CHECK_ANSWERS of ['true', 'false']) {
    const warnings: unknown[][] = [];
    const started = await startBroker(t, {
      databaseUrl: 'postgres://127.0.0.1:9/none',
      services: [
        {
          ...service,
          created() {
            this.logger.warn = (...given: unknown[]) => void warnings.push(given);
          },
        },
      ],
      settings: { CHECK_ANSWERS },
    });
    t.same(await started.broker.call('steps.count', {}), answer, 'the caller gets it as it is');
    const problems = ['weight: is not in the contract'];
    const expected = [['answer.other_shape', { action: 'steps.count', problems }]];
    t.match(warnings, CHECK_ANSWERS === 'true' ? expected : []);
    t.equal(warnings.length, CHECK_ANSWERS === 'true' ? 1 : 0);
  }
});
