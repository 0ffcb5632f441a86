/** A transport for tests: the test sends messages as the host, and reads what was sent to the host. */
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

export class ScriptedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  sessionId = 'session 1';
  readonly sent: JSONRPCMessage[] = [];
  readonly options: (TransportSendOptions | undefined)[] = [];
  readonly versions: string[][] = [];
  isStarted = false;
  /** Set to make every send fail. */
  failure: Error | undefined;

  async start(): Promise<void> {
    this.isStarted = true;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.failure) throw this.failure;
    this.sent.push(message);
    this.options.push(options);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  setProtocolVersion(version: string): void {
    this.versions.push([version]);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.versions.push(versions);
  }
}

export const request = (id: number, method = 'elicitation/create'): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method,
});

export const response = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

export const notification = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', method });

export const cancellation = (requestId: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
