/** The page of `forecast`. */
import { drawForecast } from './draw-forecast.ts';
import { startPage } from './page.ts';

startPage('forecast', { forecast: drawForecast });
