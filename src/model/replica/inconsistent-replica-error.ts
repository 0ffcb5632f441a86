/**
 * The service's data contradicts itself or the replica. The replica must be discarded and loaded again. The error is
 * internal and never reaches a caller of the cache.
 */
export class InconsistentReplicaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InconsistentReplicaError';
  }
}
