/**
 * The outer frame of a view, at an origin of its own, as the specification of MCP Apps wants it: it passes messages between
 * the host and the inner frame, which has the view and inherits the content policy of this page.
 */
const inner = document.createElement('iframe');
inner.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
inner.style.cssText = 'display: block; width: 100%; height: 100%; border: 0';
document.body.append(inner);

interface Message {
  readonly method?: string;
  readonly params?: { readonly html?: string };
}

addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
  if (source === inner.contentWindow) parent.postMessage(data, '*');
  else if (data.method === 'ui/notifications/sandbox-resource-ready') {
    inner.contentDocument?.open();
    inner.contentDocument?.write(data.params?.html ?? '');
    inner.contentDocument?.close();
  } else if (source === parent) inner.contentWindow?.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
