/**
 * The connection to the host: JSON-RPC by `postMessage` (MCP Apps, SEP-1865). Written by hand, because the library's client
 * is larger than all views together. The host's origin is not known to a view, so messages are checked by their source.
 */

type Json = Readonly<Record<string, unknown>>;

export interface HostContext {
  readonly theme?: string;
  readonly locale?: string;
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
}

export interface HostCapabilities {
  readonly serverTools?: object;
  readonly updateModelContext?: object;
}

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
  readonly _meta?: Json;
}

export interface HostEvents {
  context(changed: HostContext): void;
  toolInput(args: Json): void;
  toolResult(result: ToolResult): void;
  toolCancelled(): void;
}

/** The results of all requests of a view. */
interface HostResult extends ToolResult {
  readonly hostContext?: HostContext;
  readonly hostCapabilities?: HostCapabilities;
}

/** A message of the host. Its fields are those of all messages that a view gets. */
interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: HostContext & ToolResult & { readonly arguments?: Json };
  readonly result?: HostResult;
  readonly error?: { readonly message?: string };
}

interface Pending {
  resolve(result: HostResult): void;
  reject(error: Error): void;
}

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

export class Bridge {
  readonly #pending = new Map<string | number, Pending>();
  readonly #events: HostEvents;
  #lastId = 0;
  capabilities: HostCapabilities = {};

  constructor(events: HostEvents) {
    this.#events = events;
    addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
      if (source === parent && data?.jsonrpc === '2.0') this.#receive(data);
    });
  }

  async connect(): Promise<void> {
    const { hostContext, hostCapabilities } = await this.request('ui/initialize', {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: 'budget-mcp', version: '1' },
      appCapabilities: {},
    });
    this.capabilities = hostCapabilities ?? {};
    this.#events.context(hostContext ?? {});
    this.notify('ui/notifications/initialized', {});
  }

  request(method: string, params: Json): Promise<HostResult> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: Json): void {
    this.#send({ method, params });
  }

  #send(message: Json): void {
    parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive({ id, method, params = {}, result = {}, error }: Message): void {
    if (method === undefined) {
      const pending = this.#pending.get(id ?? '');
      this.#pending.delete(id ?? '');
      if (error) pending?.reject(new Error(error.message));
      else pending?.resolve(result);
    } else if (id === undefined) this.#notified(method, params);
    else if (method === 'ping' || method === 'ui/resource-teardown') this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `No method ${method}` } });
  }

  #notified(method: string, params: NonNullable<Message['params']>): void {
    const { context, toolInput, toolResult, toolCancelled } = this.#events;
    if (method === 'ui/notifications/host-context-changed') context(params);
    if (method === 'ui/notifications/tool-input') toolInput(params.arguments ?? {});
    if (method === 'ui/notifications/tool-result') toolResult(params);
    if (method === 'ui/notifications/tool-cancelled') toolCancelled();
  }
}
