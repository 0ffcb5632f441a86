/** The page of every tool that writes. */
import { drawWrite } from './draw-write.ts';
import { startPage } from './page.ts';

startPage('', { write: drawWrite });
