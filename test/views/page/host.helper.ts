/** The page of a host: shows one view in a double frame. `window.host` is for the test, `window.callTool` is the test's. */

import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { z } from 'zod';

type Context = NonNullable<ConstructorParameters<typeof AppBridge>[3]>['hostContext'];

export interface ToShow {
  readonly sandbox: string;
  readonly html: string;
  readonly context: NonNullable<Context>;
  /** Whether the host lets a view call tools. */
  readonly canCall: boolean;
}

declare global {
  interface Window {
    callTool(name: string, args: Record<string, unknown>): Promise<CallToolResult>;
    host: Host;
  }
}

class Host {
  /** What the view has told the model, and the heights that it has reported. */
  readonly contexts: string[] = [];
  readonly heights: number[] = [];
  #bridge: AppBridge | undefined;

  /** Resolves when the view is initialized. */
  async show({ sandbox, html, context, canCall }: ToShow): Promise<void> {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
    frame.title = 'View';
    const ready = new Promise<void>((resolve) => {
      addEventListener('message', function listener({ source, data }) {
        if (source !== frame.contentWindow || data.method !== 'ui/notifications/sandbox-proxy-ready') return;
        removeEventListener('message', listener);
        resolve();
      });
    });
    frame.src = sandbox;
    document.body.append(frame);
    await ready;
    const target = frame.contentWindow;
    if (!target) throw new Error('The frame has no window.');
    const bridge = new AppBridge(
      null,
      { name: 'test-host', version: '1' },
      { updateModelContext: {}, ...(canCall && { serverTools: {} }) },
      { hostContext: context },
    );
    bridge.oncalltool = ({ name, arguments: args = {} }) => window.callTool(name, args);
    bridge.onupdatemodelcontext = async ({ content = [] }) => {
      this.contexts.push(content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'));
      return {};
    };
    bridge.onsizechange = ({ height = 0 }) => {
      this.heights.push(height);
      frame.style.height = `${height}px`;
    };
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    await bridge.connect(new PostMessageTransport(target, target));
    await bridge.sendSandboxResourceReady({ html });
    await initialized;
    this.#bridge = bridge;
  }

  /** Asks the view whether it is still there. */
  ping(): Promise<object> {
    return this.bridge.request({ method: 'ping' }, z.looseObject({}));
  }

  get bridge(): AppBridge {
    if (!this.#bridge) throw new Error('No view is shown.');
    return this.#bridge;
  }
}

window.host = new Host();
