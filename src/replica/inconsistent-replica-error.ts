/**
 * What the service sent contradicts itself or what is held of the budget. The replica must be thrown away and loaded
 * anew; it is no error of a caller's, so it never reaches one.
 */
export class InconsistentReplicaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DistrustError';
  }
}
