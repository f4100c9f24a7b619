import t from 'tap';
import { passwordProblem } from '../../../services/auth/rules/password-rules.ts';
import { account, logIn, startAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';

const email = 'Grace.Hopper@example.com';
const common = 'must not be a common password, nor a common word with digits or signs around it';
const address = 'must not contain the e-mail address, nor the part of it before the @';
const repeated = 'must not be one short text that is repeated';
const ordered = 'must not be letters or digits in their order';

/** A row: a password, and the reason against it; null if it is accepted. */
const rows: readonly (readonly [password: string, problem: string | null])[] = [
  ['aaaaaaaaaa', repeated],
  ['ababababab', repeated],
  ['abc1abc1abc', repeated],
  ['hellohello', repeated],
  ['violincaviolinca', repeated],
  ['1234567890', ordered],
  ['0123456789', ordered],
  ['9876543210', ordered],
  ['abcdefghijk', ordered],
  ['kjihgfedcba', ordered],
  ['qwertyuiop', common],
  ['QwertyUiop', common],
  ['1q2w3e4r5t', common],
  ['password123', common],
  ['password1234567', common],
  ['Password!!!', common],
  ['P@ssw0rd2026!', common],
  ['$ummer2026!', common],
  ['**welcome**', common],
  ['!!q1w2e3r!!', common],
  ['**l1verp00l**', common],
  ['ｐａｓｓｗｏｒｄ１２３', common],
  ['grace.hopper@example.com', address],
  ['my grace.hopper password', address],
  ['GRACE.HOPPER!9', address],
  ['correct horse battery staple', null],
  ['a long password of the tests', null],
  ['passwords are hard to choose', null],
  ['abcabdabeabf', null],
  ['violin at violin', null],
  ['xk4mq7xk4m', null],
  ['violincasviolincas', null],
  ['1234567895', null],
  ['hopper of grace', null],
  ['Vw7-kQ2p_xLd', null],
];

for (const [password, problem] of rows)
  t.test(`${password} is ${problem === null ? 'taken' : 'refused'}`, async (t) => {
    t.equal(await passwordProblem(password, email), problem);
  });

t.test('a password may contain a local part of one or two letters, but not the whole address', async (t) => {
  t.equal(await passwordProblem('an old violin case', 'an@example.com'), null);
  t.equal(await passwordProblem('an@example.com is mine', 'an@example.com'), address);
  t.equal(await passwordProblem('the hat of ada lies here', 'ada@example.com'), address);
});

t.test('the rules apply to new accounts and changed passwords, with the name of the field', async (t) => {
  const { call, database } = await startAuth(t);
  const { as } = await logIn(call);
  const refused = (field: string, message: string) => ({
    ...refusal('VALIDATION_FAILED'),
    message: `${field} ${message}.`,
    data: { errors: [{ field, message }] },
  });
  const create = (password: string) => call('auth.createDeveloper', { email, password }, as);
  await t.rejects(create('aaaaaaaaaa'), refused('password', repeated));
  await t.rejects(create('grace.hopper 1906'), refused('password', address));
  t.equal((await database.query('select from auth.developer')).length, 1);
  const change = (new_password: string) =>
    call('auth.changePassword', { current_password: account.password, new_password }, as);
  await t.rejects(change('qwertyuiop'), refused('new_password', common));
  await t.rejects(change('the life of ada lovelace'), refused('new_password', address));
  t.ok(await logIn(call), 'the old password stands');
  t.ok(await create('nanoseconds of wire'));
});
