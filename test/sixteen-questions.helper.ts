/**
 * Questions that people ask about their budget. The table names the calls that answer a question, and computes from the rows
 * of the service what the answers have to contain, and what has to be written.
 */
import type { Question } from './question.helper.ts';
import { readingQuestions } from './reading-questions.helper.ts';
import { writingQuestions } from './writing-questions.helper.ts';

export const questions: readonly Question[] = [...readingQuestions, ...writingQuestions].toSorted(
  (a, b) => Number.parseInt(a.question, 10) - Number.parseInt(b.question, 10),
);
