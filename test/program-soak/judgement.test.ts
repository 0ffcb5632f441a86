import { describe, expect, it } from 'vitest';
import { type Attempt, judge, NOTHING_WRONG } from './judgement.helper.ts';

/** An attempt after which the service has done the wish so often. */
const attempt = (outcome: Attempt['outcome'], times: number, more: Partial<Attempt> = {}): Attempt => ({
  outcome,
  namesSecond: false,
  text: '',
  doneAtAnswer: times,
  doneUntilNext: times,
  agrees: true,
  isOvertaken: false,
  ...more,
});

const judged = (...attempts: Attempt[]) => judge({ isRepeatable: true, attempts });

describe('a wish is judged', () => {
  it('as right where every answer is what the service has', () => {
    expect(judged(attempt('written', 1))).toEqual(NOTHING_WRONG);
    expect(judged(attempt('unknown', 1), attempt('written', 1))).toEqual(NOTHING_WRONG);
    expect(judged(attempt('not written', 0), attempt('written', 1))).toEqual(NOTHING_WRONG);
    expect(judged(attempt('unknown', 0))).toEqual(NOTHING_WRONG);
  });

  it('as lost where it was acknowledged and is not there', () => {
    expect(judged(attempt('written', 0))).toEqual({ ...NOTHING_WRONG, lost: 1, claimedWrongly: 1 });
  });

  it('as claimed wrongly where it came later than the answer, or a field differs', () => {
    const early = attempt('written', 1, { doneAtAnswer: 0 });
    expect(judged(early)).toEqual({ ...NOTHING_WRONG, claimedWrongly: 1 });
    expect(judged(attempt('written', 1, { agrees: false }))).toEqual({ ...NOTHING_WRONG, claimedWrongly: 1 });
  });

  it('as told though overtaken where it differs after something later, and the answer does not say so', () => {
    const later = attempt('written', 1, { agrees: false, isOvertaken: true });
    expect(judged(attempt('unknown', 1), later)).toEqual({ ...NOTHING_WRONG, toldThoughOvertaken: 1 });
    const said = attempt('overtaken', 1, { agrees: false, isOvertaken: true });
    expect(judged(attempt('unknown', 1), said, attempt('written', 1, { isOvertaken: true }))).toEqual(
      NOTHING_WRONG,
    );
  });

  it('as done twice where no answer says that there may be a second one', () => {
    expect(judged(attempt('unknown', 1), attempt('written', 2))).toEqual({
      ...NOTHING_WRONG,
      twiceUnreported: 1,
    });
    expect(judged(attempt('unknown', 1), attempt('written', 2, { namesSecond: true }))).toEqual(
      NOTHING_WRONG,
    );
    const once = { isRepeatable: false, attempts: [attempt('unknown', 1), attempt('written', 2)] };
    expect(judge(once)).toEqual(NOTHING_WRONG);
  });

  it('as denied wrongly where it was carried out, and no call until then may have done it', () => {
    expect(judged(attempt('not written', 1), attempt('written', 1))).toMatchObject({ deniedWrongly: 1 });
    expect(judged(attempt('not written', 0), attempt('not written', 1))).toMatchObject({ deniedWrongly: 1 });
    expect(judged(attempt('unknown', 1), attempt('not written', 1))).toEqual(NOTHING_WRONG);
    const late = attempt('not written', 0, { doneUntilNext: 1 });
    expect(judged(late)).toEqual({ ...NOTHING_WRONG, deniedWrongly: 1 });
  });
});
