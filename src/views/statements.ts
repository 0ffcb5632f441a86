/** The page of `list_statements`. */
import { drawStatements } from './draw-statements.ts';
import { startPage } from './page.ts';

startPage('list_statements', { statements: drawStatements });
