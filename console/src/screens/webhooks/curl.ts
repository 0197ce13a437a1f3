/** Return the shell command that sends the same request. The body is passed byte by byte, so that its signature holds. */
export function curlOf(request: { url: string; headers: Record<string, string>; body: string }): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(request.url)}`, ...headers, `--data-binary ${quoted(request.body)}`].join(" \\\n  ");
}

/** Return JSON with a field a line; any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
