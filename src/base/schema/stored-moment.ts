/** A moment that a store keeps. */
import { z } from 'zod';

/** By the clocks of the process that wrote it; in Redis by one time of all machines (`RedisClock`). Use `recordedMoment` before it is compared with others. */
export const storedMoment = z.object({ wall: z.number(), monotonic: z.number() });
