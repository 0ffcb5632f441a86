/** The schema of a moment in a store. */
import { z } from 'zod';

/** By the clocks of the process that wrote it. Use `recordedMoment` before it is compared with others. */
export const storedMoment = z.object({ wall: z.number(), monotonic: z.number() });
