import { z } from 'zod';

/** A moment as a store keeps it. Use `recordedMoment` before it is compared with others. */
export const storedMoment = z.object({ wall: z.number(), monotonic: z.number() });
