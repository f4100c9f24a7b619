import t from 'tap';
import { withoutSecret } from '../../domain/provider/body-secret.ts';

const read = (text: string) => {
  const { body, secrets } = withoutSecret(Buffer.from(text), 'token');
  return { body: body.toString('utf8'), secrets };
};

t.test('removes the secret and leaves the other bytes as they are', async (t) => {
  const cases: readonly (readonly [text: string, body: string, secrets: readonly unknown[]])[] = [
    ['{"token":"abc","id":1.50}', '{"token":null,"id":1.50}', ['abc']],
    [
      ' { "id": 90071992547409931, "token" : "a\\"b" } ',
      ' { "id": 90071992547409931, "token" : null } ',
      ['a"b'],
    ],
    // The name of the member in another form.
    ['{"\\u0074oken":"abc"}', '{"\\u0074oken":null}', ['abc']],
    ['{"token":"abc","token":"def"}', '{"token":null,"token":null}', ['abc', 'def']],
    ['{"token":{"token":"abc"}}', '{"token":null}', [{ token: 'abc' }]],
    // A member of a part is another one.
    ['{"user":{"token":"abc"}}', '{"user":{"token":"abc"}}', []],
    ['{}', '{}', []],
  ];
  for (const [text, body, secrets] of cases) t.same(read(text), { body, secrets }, text);
});

t.test('keeps nothing of a body that is no JSON object: a secret could be anywhere in it', async (t) => {
  const texts = [
    '',
    '[]',
    'null',
    '"abc"',
    '{"token":"abc"',
    '{"token":"abc"}x',
    '{"token":abc}',
    'token=abc',
  ];
  for (const text of texts) t.same(read(text), { body: '{}', secrets: [] }, text);
});
