/**
 * A tool server (MCP): operations of the service and local checks as tools for agents. It also exports everything of the root: with less than
 * that, the build would split the chunks of other entries, and each would grow by up to 0.1 kB.
 *
 * @packageDocumentation
 */

export type { ToolDescription, ToolHints } from '../servers/mcp/tool.js';
export { type ConnectOptions, createToolServer, type ToolConnection, type ToolServer } from '../servers/mcp/tool-server.js';
export type { ToolClient, ToolServerOptions } from '../servers/mcp/tool-server-options.js';
export * from './index.js';
