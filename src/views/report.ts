/** The page of `report`. */
import { drawReport } from './draw-report.ts';
import { startPage } from './page.ts';

startPage('report', { report: drawReport });
