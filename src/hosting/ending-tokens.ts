/**
 * The tokens of the budgeting service for a grant, which tell when the service does not renew them any more. Then the grant is
 * of no use.
 */
import type { TokenProvider } from '../auth/token-provider.ts';
import { BudgetError, type ErrorCode } from '../base/errors.ts';

const ENDED: ReadonlySet<ErrorCode> = new Set(['sign_in_ended', 'not_signed_in']);

export function noticeEnd(tokens: TokenProvider, onEnded: () => void): TokenProvider {
  const checked = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof BudgetError) || !ENDED.has(error.code)) throw error;
      onEnded();
      throw new BudgetError(
        'sign_in_ended',
        'The sign-in with the budgeting service has ended. With its next call the assistant can open the sign-in page of this server. If it does not, connect this server again in its settings.',
        { cause: error },
      );
    }
  };
  return {
    credential: (signal) => checked(tokens.credential(signal)),
    renewed: (refused, signal) => checked(tokens.renewed(refused, signal)),
    describe: () => checked(tokens.describe()),
  };
}
